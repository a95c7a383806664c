// Replaces `ava` for a file of a group: collects the declarations of the file, and declares nothing yet.

/** The calls of each started file: `words` after `test` (`["serial", "skip"]`), and the arguments. */
export const files = [];

export function beginFile(file) {
  files.push({ file, calls: [] });
}

function chain(words) {
  const links = new Map();
  return new Proxy(() => {}, {
    apply: (_target, _self, args) => void files[files.length - 1].calls.push({ words, args }),
    get: (_target, word) => {
      if (!links.has(word)) links.set(word, chain([...words, word]));
      return links.get(word);
    },
  });
}

// biome-ignore lint/style/noDefaultExport: ava has one
export default chain([]);
