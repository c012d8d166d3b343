import type { ConnectionType } from './connection';
import type { Extractor } from './extractor';
import type { ScriptEngine } from './inline-script';
import type { Loader } from './loader';
import type { Operator } from './operator';
import type { Rule } from './rule';
import type { HookScript } from './script';
import type { Sink } from './sink';
import type { TriggerType } from './trigger';

export interface ByKind {
    readonly trigger: TriggerType;
    readonly extractor: Extractor;
    readonly operator: Operator;
    readonly loader: Loader;
    readonly sink: Sink;
    readonly rule: Rule;
    readonly connection: ConnectionType;
    readonly script: HookScript;
    readonly engine: ScriptEngine;
}
export type Kind = keyof ByKind;
export type AdapterDefinition = ByKind[Kind];
