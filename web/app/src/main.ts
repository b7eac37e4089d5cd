// The page, put together. What is large (three.js, the program) is fetched once a file is there; until then the page has what it needs to be seen.

import { mountAddress } from "./address.js";
import { mountGraph } from "./curves/graph.js";
import { mountList } from "./curves/list.js";
import { at } from "./dom.js";
import { mountPacking, troubleOf } from "./packing.js";
import { mountBytes } from "./panels/bytes.js";
import { mountFindings } from "./panels/findings.js";
import { mountKeys } from "./panels/keys.js";
import { mountOpening } from "./panels/opening.js";
import { mountOptions } from "./panels/options.js";
import { mountResult } from "./panels/result.js";
import { mountTabs } from "./panels/tabs.js";
import { mountTake } from "./panels/take.js";
import { mountPanel } from "./player/panel.js";
import type { Player } from "./player/player.js";
import { mountTimeline } from "./player/timeline.js";
import { mountPicture } from "./sizes/picture.js";
import { mountSeries } from "./sizes/series.js";
import { store } from "./state.js";

let player: Promise<Player> | undefined;

/** three.js comes with the first file. */
function playerNow(): Promise<Player> {
  player ??= import("./player/player.js").then(({ Player }) => new Player(onMoment));
  return player;
}

const withPlayer = (act: (player: Player) => unknown): void => {
  const note = at("stage-note");
  void playerNow().then(act).then(
    () => (note.hidden = true),
    (error: unknown) => {
      note.textContent = `It cannot be shown: ${troubleOf("", error).message}`;
      note.hidden = false;
    },
  );
};

const actions = {
  worst: () => withPlayer((player) => player.worst()),
  fit: () => withPlayer((player) => player.fit()),
  look: (sideways: number, up: number, nearer: number) => withPlayer((player) => player.look(sideways, up, nearer)),
};

const sample = mountAddress();
mountTabs();
mountTimeline();
const onMoment = mountPanel(actions);
mountList();
mountGraph();
mountOptions();
mountPicture();
mountResult();
mountTake();
mountBytes();
mountFindings();
mountKeys(actions);
mountPacking();
mountSeries();
let opened: Promise<unknown> = Promise.resolve();
store.watch(["source"], ({ source }) => source?.json && withPlayer((player) => (opened = player.open())));
store.watch(["packed"], ({ packed }) => packed && withPlayer((player) => opened.then(() => player.openPacked())));
mountOpening(sample);
