// Tests the default settings of processes that judge as a campaign does.

import test from "ava";
import { BYTECODE, USUAL } from "../../src/campaign/program/seeds.js";
import { SeedJudge } from "../../src/campaign/run/judge-seed.js";
import { drawnFor } from "./draw.js";
import { usualSettings } from "./usual-settings.js";

for (const profile of [USUAL, "traced", BYTECODE, "worlds"]) {
  test(`a program of the profile ${profile} has subjects`, (t) => {
    const settings = usualSettings(profile);
    const judge = new SeedJudge(settings);
    const drawn = judge.drawSubjects(1n)?.filter((isDrawn) => isDrawn !== 0).length;
    judge.close();
    t.is(drawn, drawnFor(profile));
  });
}
