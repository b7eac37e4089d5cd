// How far what a player shows lies from what the program says.

import assert from "node:assert/strict";

const unit = (q) => q.map((v) => v / Math.hypot(...q));

/** Whether a track has come to its end before a time: what it says does not change any more. */
const isOver = (values, i) => values.slice(i).every((row) => row.every((v, c) => v === values.at(-1)[c]));

/** The largest difference, as a share of what the values span. Where `toEnd` is not, tracks are looked at up to their own end. */
export function difference(expected, shown, toEnd) {
  let [worst, where] = [0, ""];
  expected.forEach(({ target, values }, t) => {
    const all = values.flat();
    // A rotation and a direction span what they span; a place is measured against the way it goes, or its distance.
    const range = /rotation$/.test(target) ? 1 : Math.max(...all.map(Math.abs), 1e-3);
    values.forEach((row, i) => {
      if (!toEnd && isOver(values, i)) return;
      const got = /rotation$/.test(target) ? unit(shown[i][t]) : shown[i][t];
      assert.equal(got.length, row.length, target);
      const sign = /rotation$/.test(target) && row.reduce((sum, v, c) => sum + v * got[c], 0) < 0 ? -1 : 1;
      row.forEach((v, c) => {
        const off = Math.abs(v - sign * got[c]) / range;
        if (!(off <= worst)) [worst, where] = [off, `${target} at time ${i}: ${got} in place of ${row}`];
      });
    });
  });
  return { worst, where };
}
