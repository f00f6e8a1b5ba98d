//! Types of the objects that JavaScript gets, beside those that wasm-bindgen writes.

use wasm_bindgen::prelude::wasm_bindgen;

#[wasm_bindgen(typescript_custom_section)]
const TYPES: &str = r#"
export type Format = "toml" | "json" | "dict";
export type LinkModel = "integrator" | "ack_clocked" | "joint";
export type WindowLaw = "equation" | "algorithm";

export interface LoadOptions {
    /** Default: toml. A dict is JSON whose errors name keys, not lines. */
    format?: Format;
    /** The file's name, for messages; without extension it is the default title. */
    name?: string;
    /** Pairs of key and value, as --set takes them. */
    overrides?: [string, string][];
    /** Texts of the files that the scenario names, by path. */
    files?: Record<string, string>;
}

/** A validation error. Lines and columns count from 1. */
export interface Diagnostic {
    file: string;
    line: number | null;
    column: number | null;
    key: string;
    pointer: string | null;
    message: string;
    hint: string | null;
}
export interface CheckReport { errors: Diagnostic[]; more: number }
/** Thrown by the constructor of Scenario. */
export interface ScenarioError extends Error { diagnostics: Diagnostic[]; more: number }

export interface LinkFacts { name: string; rate_bps: number; delay_s: number; queue: { kind: string; limit?: string } & Record<string, unknown> }
export interface SourceFacts {
    name: string;
    controller: string | null;
    /** Links of data packets, by index. */
    data: number[];
    /** Links of acknowledgements, by index. */
    ack: number[];
    packet: number;
    start_s: number;
    stop_s: number | null;
}
/** Packets name their source by index: flows, then the others. */
export interface Facts { links: LinkFacts[]; flows: SourceFacts[]; others: SourceFacts[] }

export interface Expectation { file: string; of: string; what: string; value: number | null; bound: string; held: boolean; why: string | null }

/** Columns of equal length: a row per time, entity and quantity. Kind 0 is a flow, 1 a link. */
export interface Series { timeS: Float64Array; kind: Uint8Array; entity: Uint32Array; quantity: Uint8Array; value: Float64Array }

/** Columns: a row per packet and link. Packet: data, syn, syn-ack, ack, fin, cross. Fate: carried, dropped, lost. */
export interface Packets {
    link: Uint32Array;
    source: Uint32Array;
    packet: Uint8Array;
    retransmission: Uint8Array;
    fate: Uint8Array;
    beginS: Float64Array;
    endS: Float64Array;
}

/** Columns. Event: loss, timeout, recovery begins, recovery ends, round trip ends, completed, loss of an acknowledgement. */
export interface FlowEvents { timeS: Float64Array; flow: Uint32Array; event: Uint8Array; detail: Uint32Array }

export interface Entry { name: string; summary: string; source: string }
export interface Register { controllers: (Entry & Record<string, unknown>)[]; queues: (Entry & Record<string, unknown>)[]; presets: Entry[] }
"#;
