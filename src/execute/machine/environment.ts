// Gives compiled code the addresses of the harness.

import type { ExternalAddresses } from "../../../reference/emit/environment.js";
import { exitAddress, hostCallAddress, LAYOUT } from "./guest.js";

const wordsOf = (address: number): readonly [number, number] => [
  address | 0,
  Math.floor(address / 2 ** 32) | 0,
];

export const ENVIRONMENT: ExternalAddresses = {
  hostFunction: (index) => wordsOf(hostCallAddress(LAYOUT, index)),
  exit: wordsOf(exitAddress(LAYOUT)),
};
