// Player or curves, and which animation.

import { at, h } from "../dom.js";
import { type Tab, store } from "../state.js";

const TABS: Tab[] = ["player", "curves"];

export function mountTabs(): void {
  for (const tab of TABS) {
    const button = at(`tab-${tab}`);
    button.addEventListener("click", () => store.set({ tab }));
    button.addEventListener("keydown", (event) => {
      if (event.key !== "ArrowLeft" && event.key !== "ArrowRight") return;
      const other = TABS[1 - TABS.indexOf(tab)]!;
      store.set({ tab: other });
      at(`tab-${other}`).focus();
    });
  }
  store.watch(["tab"], ({ tab: chosen }) => {
    for (const tab of TABS) {
      at(`tab-${tab}`).setAttribute("aria-selected", String(tab === chosen));
      at(`tab-${tab}`).tabIndex = tab === chosen ? 0 : -1;
      at(tab).hidden = tab !== chosen;
    }
  });
  const animations = at<HTMLSelectElement>("animation");
  animations.addEventListener("change", () => store.set({ animation: animations.selectedIndex, time: 0, overTime: null }));
  store.watch(["look"], ({ look }) => {
    animations.replaceChildren(...(look?.animations ?? []).map(({ name, index }) => h("option", {}, name ?? `#${index}`)));
    animations.disabled = !look || look.animations.length === 0;
  });
  store.watch(["look", "animation"], ({ animation }) => (animations.selectedIndex = animation));
}
