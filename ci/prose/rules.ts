// The rules of prose, as patterns. docs/style.md gives the reasons.

/** One rule: a pattern that no sentence contains, with an example that it finds. */
interface ProseRule {
  readonly name: string;
  readonly pattern: RegExp;
  /** The advice in the message. */
  readonly instead: string;
  /** A sentence that breaks the rule. */
  readonly wrong: string;
  /** The same idea in plain words. */
  readonly right: string;
  /** The pattern matches only at the start of a text. */
  readonly isOpening?: true;
}

const PERSON =
  "(?:users?|readers?|developers?|engineers?|maintainers?|authors?|contributors?|people|persons?|you|we|they|who|to)";

// biome-ignore format: a table
export const PROSE_RULES: readonly ProseRule[] = [
  {
    name: "clause as subject",
    pattern: /(?:^|[.!?] |@returns |@param \w+ )(?:(?:(?:[Oo]f|[Ii]n|[Ii]nto|[Ff]rom|[Bb]y|[Oo]n|[Ff]or|[Aa]t|[Tt]o|[Ww]ith|[Bb]ehind|[Bb]efore|[Aa]fter) )?(?:[Ww]hat|[Ww]hatever|[Ww]hoever|[Ww]homever)\b|Which\b|Where [^,.?]* there\b)(?![^.!]*\?)/,
    instead: "begin with the actor",
    wrong: "What is spilled is recorded by the interval.",
    right: "The interval records its spill slot.",
  },
  {
    name: "opening with Of",
    pattern: /(?:^|[.!?] |@returns |@param \w+ )[Oo]f (?!course\b)/,
    instead: "begin with the actor",
    wrong: "Of a batch that fails each program is run alone.",
    right: "If a batch fails, the runner retries each program alone.",
  },
  {
    name: "a thing that speaks",
    pattern: new RegExp(`(?<!\\b${PERSON} (?:\\w+ )?)\\b(?:knows|knew|says(?! text\\b| = )|said|tells|told|hears?|heard|listens?|listening|asks|asked|believes?|wants?|wanted|meets)\\b`, "i"),
    instead: "things contain, return, record, read, check, require, reach",
    wrong: "The table says which registers are free.",
    right: "The table lists the free registers.",
  },
  {
    name: "courtroom",
    pattern: /\b(?:guilty|guilt|suspects?|suspected|witness(?:es)?|jury|innocent|accused?|accuses|culprits?|blamed?|blames)\b/i,
    instead: "cause, candidate, second implementation, interest test",
    wrong: "The guilty phase is named.",
    right: "The report names the phase that is the cause.",
  },
  {
    name: "position in space",
    pattern: /\b(?:behind|in front of)\b/i,
    instead: "after, before",
    wrong: "The jump behind the call is removed.",
    right: "The phase removes the jump after the call.",
  },
  {
    name: "a thing that stands",
    pattern: /\b(?:stands?|stood|standing) (?!for\b|still\b|alone\b)/i,
    instead: "is, appears, is stored",
    wrong: "The slot stands in the exit table.",
    right: "The exit table contains the slot.",
  },
  {
    name: "so many",
    pattern: /\bso many\b(?!(?: \w+)? that\b)/i,
    instead: "this many, or a number",
    wrong: "One program in so many is traced.",
    right: "One program in this many is traced.",
  },
  {
    name: "fragment",
    pattern: /^(?:Null\b|From \d\.$|By [\w ]+\.$)/,
    instead: "name the thing first",
    wrong: "Null if the program came from a file.",
    right: "The seed of the program; null if it came from a file.",
    isOpening: true,
  },
  {
    name: "reference back",
    pattern: /^(?:The same (?:as|by|for|in|of)\b|Likewise\b)/,
    instead: "repeat what the text refers to",
    wrong: "The same for constants of 64 bits.",
    right: "Logical immediates among constants of 64 bits.",
    isOpening: true,
  },
];

/** Names that need the word of their domain, and participles: no type has one of these alone. */
export const TYPE_NAME =
  /^(?:Place|Row|Plan|Step|Seen|Way|Left|Begun|Taken|Kept|Asked|Given|Made|Found|Drawn|Told|Built|Known|Held|Cut|Lost|Spent|Written|Shown|Chosen|Access|Action|Answer|Answers|Area|Argument|Batch|Body|Bound|Bounds|Bytes|Cell|Change|Claim|Column|Condition|Contents|Context|Counts|Data|Dead|Edit|Entry|Facts|Family|Field|Fields|Figure|Figures|Files|Find|Flags|Form|Format|Forms|Guess|Head|Help|Hidden|Instance|Key|Keys|Label|Leaf|Limits|Lines|Link|Lists|Make|Maker|Mark|Marks|Meaning|Memory|Mode|Names|News|Node|Notation|Nothing|Operand|Operands|Part|Parts|Pending|Piece|Pieces|Plans|Point|Pools|Question|Range|Reader|Reply|Request|Result|Results|Role|Room|Rooms|Runs|Search|Section|Side|Site|Slot|Source|Sources|Spec|Spot|State|Steps|Stretch|Table|Tables|Task|Texts|Time|Times|Tools|Turn|Types|Uses|Values|Variable|Variables|Variant|Visit|What|Whole|Width|Widths|Window|Word|Words|Wrong|(?!Seed$|Need$|Speed$|Feed$)[A-Z][a-z]*ed)$/;

/** The commit after which subjects are checked. */
export const SUBJECTS_SINCE = "94ee53a8";

/** The longest subject line of a commit, in characters. */
export const SUBJECT_LENGTH_MAX = 60;

/** A subject of a commit: the area, then what the commit does, in the imperative. */
export const COMMIT_SUBJECT =
  /^(?:[a-z0-9][\w./-]*: (?!(?:let|no|the|a|an|what|of)\b)[a-z][a-z-]*(?<!ed|ing|(?<!s)s)\b|Revert )/;
