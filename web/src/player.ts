// Play, pause, scrub.

import { el } from "./dom.js";

const SPEEDS = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20];

export class Player {
  timeS = 0;
  playing = false;
  speed = 1;
  private durationS = 1;
  private readonly button = el("button", { type: "button", class: "play", "aria-label": "play", click: () => this.toggle() }, "▶");
  private readonly scrub = el("input", { type: "range", min: 0, max: 1000, step: 1, value: 0, "aria-label": "simulated time" });
  private readonly clock = el("output", { class: "clock" }, "0.00 s");
  private readonly rate = el("select", { "aria-label": "speed" }, ...SPEEDS.map((s) => el("option", { value: s }, `× ${s}`)));
  readonly element = el("div", { class: "player" }, this.button, this.scrub, this.clock, this.rate);

  constructor(private readonly moved: () => void) {
    this.scrub.addEventListener("input", () => this.seek((Number(this.scrub.value) / 1000) * this.durationS));
    this.rate.addEventListener("change", () => (this.speed = Number(this.rate.value)));
  }

  /** A scenario of this duration; `timeS` is where to begin. */
  begin(durationS: number, speed: number, timeS: number, playing: boolean): void {
    this.durationS = durationS;
    this.speed = speed;
    this.rate.value = String(speed);
    this.timeS = timeS;
    this.setPlaying(playing);
    this.show();
  }

  setDuration(durationS: number): void {
    this.durationS = durationS;
    this.timeS = Math.min(this.timeS, durationS);
    this.show();
  }

  toggle(): void {
    if (!this.playing && this.timeS >= this.durationS) this.timeS = 0;
    this.setPlaying(!this.playing);
  }

  private setPlaying(playing: boolean): void {
    this.playing = playing;
    this.button.textContent = playing ? "❚❚" : "▶";
    this.button.setAttribute("aria-label", playing ? "pause" : "play");
    if (!playing) this.moved();
  }

  seek(timeS: number): void {
    this.timeS = Math.max(0, Math.min(this.durationS, timeS));
    this.show();
    this.moved();
  }

  /** A step by a share of the duration. */
  nudge(share: number): void {
    this.seek(this.timeS + share * this.durationS);
  }

  /** Moves on by a frame, not beyond what is simulated. */
  tick(elapsedS: number, availableS: number): void {
    if (!this.playing) return;
    // while a new run has not come this far, the picture waits
    this.timeS = Math.max(this.timeS, Math.min(this.timeS + elapsedS * this.speed, availableS));
    if (this.timeS >= this.durationS && availableS >= this.durationS) this.setPlaying(false);
    this.show();
  }

  private show(): void {
    this.scrub.value = String(Math.round((this.timeS / this.durationS) * 1000));
    this.scrub.setAttribute("aria-valuetext", `${this.timeS.toFixed(1)} seconds`);
    this.clock.textContent = `${this.timeS.toFixed(2)} s`;
  }
}
