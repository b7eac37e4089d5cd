// Areas for weights: squarified (Bruls, Huizing, van Wijk 2000), so that areas can be compared by eye.

import type { Weight } from "./weights.js";

/** A part and its place, in parts of the whole. */
export interface Tile {
  weight: Weight;
  x: number;
  y: number;
  width: number;
  height: number;
}

interface Room {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** The worst ratio of sides in a row of areas along a side. */
function worst(row: number[], side: number): number {
  const sum = row.reduce((a, b) => a + b, 0);
  return Math.max(...row.map((area) => Math.max((side * side * area) / (sum * sum), (sum * sum) / (side * side * area))));
}

/** Lays parts into a room, the heaviest first. */
export function tiles(parts: Weight[], room: Room): Tile[] {
  const total = parts.reduce((sum, { bytes }) => sum + bytes, 0);
  if (total === 0 || room.width <= 0 || room.height <= 0) return [];
  const scale = (room.width * room.height) / total;
  const left = parts.filter(({ bytes }) => bytes > 0).sort((a, b) => b.bytes - a.bytes);
  const laid: Tile[] = [];
  let free = { ...room };
  while (left.length > 0) {
    const side = Math.min(free.width, free.height);
    const row = [left.shift()!];
    const areas = [row[0]!.bytes * scale];
    while (left.length > 0 && worst([...areas, left[0]!.bytes * scale], side) <= worst(areas, side)) {
      areas.push(left[0]!.bytes * scale);
      row.push(left.shift()!);
    }
    free = layRow(row, areas, free, laid);
  }
  return laid;
}

/** Lays a row along the shorter side; the room that is left. */
function layRow(row: Weight[], areas: number[], free: Room, laid: Tile[]): Room {
  const sum = areas.reduce((a, b) => a + b, 0);
  const upright = free.width >= free.height;
  const thick = sum / (upright ? free.height : free.width);
  let along = 0;
  row.forEach((weight, i) => {
    const long = areas[i]! / thick;
    laid.push({ weight, ...(upright ? { x: free.x, y: free.y + along, width: thick, height: long } : { x: free.x + along, y: free.y, width: long, height: thick }) });
    along += long;
  });
  return upright ? { ...free, x: free.x + thick, width: free.width - thick } : { ...free, y: free.y + thick, height: free.height - thick };
}
