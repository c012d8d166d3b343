import type { Extractor } from './extractor';
import type { Loader } from './loader';
import type { Operator } from './operator';
import type { TriggerType } from './trigger';

export interface ByKind {
    readonly trigger: TriggerType;
    readonly extractor: Extractor;
    readonly operator: Operator;
    readonly loader: Loader;
}
export type Kind = keyof ByKind;
export type AdapterDefinition = ByKind[Kind];
