import { EntityState } from '../entities/entity-state';
import type { Id } from '../../database/write';

export interface OptionState {
    id: Id | undefined;
    readonly code: string;
    readonly name: string;
}

export interface GroupState {
    id: Id | undefined;
    readonly code: string;
    /** In the run's language; its code, where it has none. */
    readonly name: string;
    readonly options: OptionState[];
}

/** A product as it is and as the records so far have changed it. */
export class ProductState extends EntityState {
    groups: GroupState[] | undefined;
    /** SKU by the combination of options that it takes. */
    combinations: Map<string, string> | undefined;
    /** Groups of `groups` that are not joined to the product yet. */
    readonly newGroups: GroupState[] = [];
    /** Stored ones that it is to have no more. */
    readonly removedGroups: GroupState[] = [];
}

/** A combination without the options of some groups, by the codes of these. */
export function combinationWithout(combination: string, groups: ReadonlySet<string>): string {
    const options = JSON.parse(`[${combination}]`) as ReadonlyArray<readonly [group: string, option: string]>;
    return combinationOf(options.filter(([group]) => !groups.has(group)).map(([group, option]) => ({ group, option })));
}

/** The same combination has the same text, whatever the order of its options. */
export function combinationOf(options: ReadonlyArray<{ readonly group: string; readonly option: string }>): string {
    return options
        .map(({ group, option }) => JSON.stringify([group, option]))
        .sort()
        .join();
}
