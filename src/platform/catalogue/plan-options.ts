import { show } from '../../core/value/show';
import type { DesiredVariant } from './desired';
import { type RecordIssues, known, quoted } from '../entities/record-issues';
import type { ListMode } from '../entities/load-arguments';
import { namedAmong } from '../entities/identity';
import { numberedKey, slugOf } from '../entities/slug';
import {
    type GroupState,
    type OptionState,
    type ProductState,
    combinationOf,
    combinationWithout,
} from '../entity-descriptions/product-state';

/** The changes of a record to a product's option groups, kept separate from the product until the record is known to be valid. */
export class OptionsDraft {
    private groups: GroupState[];
    private readonly removed: GroupState[] = [];
    private readonly newGroups: GroupState[] = [];
    private readonly newOptions: Array<{ readonly group: GroupState; readonly option: OptionState }> = [];
    private combinations: Map<string, string>;
    private readonly chosen = new Map<
        DesiredVariant,
        Array<{ readonly group: GroupState; readonly option: OptionState }>
    >();

    constructor(
        private readonly product: ProductState,
        private readonly issues: RecordIssues,
    ) {
        this.groups = [...(product.groups ?? [])];
        this.combinations = new Map(product.combinations);
    }

    private find(text: string): GroupState | undefined {
        return among(this.groups, text, { creates: this.combinations.size === 0 });
    }

    /** What a record's list of groups does, by its mode: null stands for none at all. */
    name(texts: readonly string[], path: string, mode: ListMode): void {
        if (mode === 'SKIP') return;
        const named = new Set(texts.flatMap(text => this.find(text) ?? []));
        const isTaken = (group: GroupState): boolean =>
            (mode === 'REPLACE' && !named.has(group)) || (mode === 'REMOVE' && named.has(group));
        this.removed.push(...this.groups.filter(isTaken));
        this.groups = this.groups.filter(group => !isTaken(group));
        if (mode !== 'REMOVE') for (const text of texts) this.group(text, path);
    }

    /**
     * Reports an error if groups are removed and the remaining variants would no longer differ. Call it after all variants have chosen their
     * options.
     */
    checkRemoved(variants: readonly DesiredVariant[], path: string): void {
        if (this.removed.length === 0) return;
        const gone = new Set(this.removed.map(({ code }) => code));
        const said = new Map(variants.map(variant => [variant.sku, variant]));
        const left = new Map<string, string>();
        for (const [combination, sku] of this.combinations) {
            const desired = said.get(sku);
            if (desired?.isDelete === true) continue;
            const own = desired?.options ? this.combinationOf(desired) : combinationWithout(combination, gone);
            const other = left.get(own);
            if (other === undefined) left.set(own, sku);
            else
                this.issues.add(
                    path,
                    `takes ${[...gone].map(code => show(code)).join(', ')} away, without which the variants ${show(other)} and ${show(sku)} would have the same options`,
                );
        }
        this.combinations = left;
    }

    /** A group by its code or name. Vendure adds groups to products without variants only: the others would lack an option. */
    group(text: string, path: string): GroupState | undefined {
        const found = this.find(text);
        if (found) return found;
        const code = freeCode(text, this.groups);
        if (code === '' || this.combinations.size > 0) {
            const problem =
                code === ''
                    ? `${quoted(text)} makes no code`
                    : `${quoted(text)} is not an option group of the product; ${known(this.groups.map(group => group.code))}`;
            this.issues.add(path, problem, text);
            return undefined;
        }
        const made: GroupState = { id: undefined, code, name: text, options: [] };
        this.groups.push(made);
        this.newGroups.push(made);
        return made;
    }

    private option(group: GroupState, text: string, path: string): OptionState | undefined {
        const all = [
            ...group.options,
            ...this.newOptions.filter(made => made.group === group).map(made => made.option),
        ];
        const found = among(all, text, { creates: true });
        if (found) return found;
        const code = freeCode(text, all);
        if (code === '') {
            this.issues.add(path, `${quoted(text)} makes no code`, text);
            return undefined;
        }
        const made: OptionState = { id: undefined, code, name: text };
        this.newOptions.push({ group, option: made });
        return made;
    }

    /** Variants that the same record deletes, before it says what others have. */
    leave(variants: readonly DesiredVariant[]): void {
        const gone = new Set(variants.filter(({ isDelete }) => isDelete).map(({ sku }) => sku));
        if (gone.size > 0) this.combinations = new Map([...this.combinations].filter(([, sku]) => !gone.has(sku)));
    }

    /** Looks up what a variant names. All variants first, since one may bring a group that the others must have too. */
    choose(variant: DesiredVariant): void {
        const chosen: Array<{ readonly group: GroupState; readonly option: OptionState }> = [];
        for (const [groupText, optionText] of variant.options ?? []) {
            const path = `${variant.path}${variant.names.options}.${groupText}`;
            const group = this.group(groupText, path);
            if (group && chosen.some(choice => choice.group === group)) {
                this.issues.add(path, `names the option group ${quoted(group.name)} a second time`, optionText);
                continue;
            }
            const option = group && this.option(group, optionText, path);
            if (option) chosen.push({ group, option });
        }
        this.chosen.set(variant, chosen);
    }

    /**
     * Plans the new combinations of stored variants, before new variants take the freed ones. A combination that another record frees later is
     * available until then, as in ProductVariantService. Call it after all variants have chosen their options.
     */
    move(variants: readonly DesiredVariant[]): void {
        const moving = new Map(
            variants.flatMap(one => (one.options && !one.isDelete ? [[one.sku, one] as const] : [])),
        );
        if (moving.size === 0) return;
        const before = new Map([...this.combinations].map(([combination, sku]) => [sku, combination]));
        this.combinations = new Map([...this.combinations].filter(([, sku]) => !moving.has(sku)));
        for (const [sku, moved] of moving) {
            // A new one takes its combination when it is checked.
            if (!before.has(sku)) continue;
            const own = this.combinationOf(moved);
            const taken = this.combinations.get(own);
            if (taken === undefined) this.combinations.set(own, sku);
            // A conflict that existed before is not an error of this record.
            else if (moving.has(taken) && own !== before.get(sku)) this.refuse(moved, taken);
        }
    }

    private refuse(variant: DesiredVariant, taken: string): void {
        const path = variant.path + variant.names.options;
        this.issues.add(path, `name a combination that variant ${show(taken)} has already`);
    }

    /** What ProductVariantService checks: one option of each group, and for a new variant a combination that is not taken. */
    check(variant: DesiredVariant, { isNew }: { readonly isNew: boolean }): void {
        if (!isNew && variant.options === undefined) return;
        const chosen = this.chosen.get(variant)!;
        const path = variant.path + variant.names.options;
        const missing = this.groups.filter(group => !chosen.some(choice => choice.group === group));
        if (missing.length > 0) {
            this.issues.add(
                path,
                `lacks ${missing.map(group => `"${group.code}"`).join(', ')}; a variant has one option of each group of its product`,
            );
            return;
        }
        if (!isNew) return;
        const combination = this.combinationOf(variant);
        const taken = this.combinations.get(combination);
        if (taken === undefined) this.combinations.set(combination, variant.sku);
        else if (chosen.length > 0) this.refuse(variant, taken);
        else
            this.issues.add(
                variant.path + variant.names.sku,
                `${show(variant.sku)} would be the product's second variant, in addition to ${show(taken)}, which needs option groups`,
                variant.sku,
            );
    }

    combinationOf(variant: DesiredVariant): string {
        return combinationOf(
            (this.chosen.get(variant) ?? []).map(({ group, option }) => ({ group: group.code, option: option.code })),
        );
    }

    /** The options of a variant, in the order of the product's groups. */
    optionsOf(variant: DesiredVariant): readonly OptionState[] {
        const chosen = this.chosen.get(variant) ?? [];
        return this.groups.flatMap(group => chosen.flatMap(choice => (choice.group === group ? choice.option : [])));
    }

    /** Makes the draft the product's own. */
    commit(): void {
        const { product } = this;
        product.groups = this.groups;
        product.newGroups.push(...this.newGroups);
        for (const group of this.removed) {
            const at = product.newGroups.indexOf(group);
            if (at >= 0) product.newGroups.splice(at, 1);
            else product.removedGroups.push(group);
        }
        product.combinations = this.combinations;
        for (const { group, option } of this.newOptions) group.options.push(option);
    }

    get addsGroups(): boolean {
        return this.newGroups.length > 0;
    }

    get newGroupNames(): readonly string[] {
        return this.newGroups.map(({ name }) => name);
    }

    /** The options of groups that are taken away. */
    get removedOptions(): ReadonlySet<OptionState> {
        return new Set(this.removed.flatMap(({ options }) => options));
    }

    /** How the groups change, for people; undefined where none is taken away. */
    get removal(): { readonly before: readonly string[]; readonly after: readonly string[] } | undefined {
        if (this.removed.length === 0) return undefined;
        const names = (groups: readonly GroupState[]): readonly string[] =>
            groups.map(({ id, code, name }) => (id === undefined ? name : code));
        return { before: names(this.product.groups ?? []), after: names(this.groups) };
    }
}

interface Coded {
    readonly code: string;
    readonly name: string;
}

/** The one of some groups or options that a text names by its code or its name. */
function among<T extends Coded>(
    all: readonly T[],
    text: string,
    { creates }: { readonly creates: boolean },
): T | undefined {
    return namedAmong(all, text, { made: slugOf, read: ({ code: key, name }) => ({ key, name }), creates });
}

/** The code derived from a name, with a number if another name has it. */
function freeCode(name: string, all: readonly Coded[]): string {
    const made = slugOf(name);
    let code = made;
    for (let suffix = 2; all.some(one => one.code === code); suffix++) code = numberedKey(made, suffix);
    return code;
}
