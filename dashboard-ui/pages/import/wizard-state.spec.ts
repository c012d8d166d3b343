import type { FileProfile, ImportSuggestion } from './import.graphql';
import type { ImportPlan, ImportTarget } from './import-plan';
import {
    fieldsWithoutColumn,
    hasUnsavedChanges,
    isChecked,
    isReachable,
    isTargetClear,
    newWizard,
    openStep,
    partToSave,
    reduceWizard,
    stepAfter,
    type WizardAction,
    type WizardState,
    type WizardStep,
    withDecimals,
} from './wizard-state';

const facts = { format: 'CSV', decimals: 'COMMA', headerRow: 2, skipAfterHeader: 0, footerRows: 0 } as const;
const profile = {
    id: 'p1',
    fileId: 'f1',
    filename: 'mueller.csv',
    facts,
    rows: 300,
    columns: [{ index: 0, name: 'Art.-Nr.' }],
} as unknown as FileProfile;

function plan(fields: readonly string[], changes: Partial<ImportPlan> = {}): ImportPlan {
    return {
        version: 1,
        source: { kind: 'FILE', fileId: 'f1' },
        facts,
        target: 'PRODUCTS',
        matchBy: 'sku',
        fields: fields.map(field => ({ field, columns: [field], conversions: [] })),
        prices: { missing: 'REJECT' },
        missing: { action: 'NONE', maxShare: 0.1 },
        createMissingFacetValues: false,
        remedies: [],
        ...changes,
    };
}

interface Suggested {
    readonly isTargetClear?: boolean;
    readonly targets?: readonly ImportTarget[];
}

function suggestion(
    of: ImportPlan,
    { isTargetClear: isClear = false, targets = ['PRODUCTS', 'PRICES'] }: Suggested = {},
): ImportSuggestion {
    const field = (name: string, isRequired: boolean) => ({ field: name, isRequired });
    return {
        isTargetClear: isClear,
        targets: targets.map(target => ({ target })),
        plan: of,
        fields: [field('sku', true), field('name', true), field('price', true), field('stock', false)],
    } as unknown as ImportSuggestion;
}

const after = (actions: readonly WizardAction[], from: WizardState = newWizard()): WizardState =>
    actions.reduce(reduceWizard, from);
const suggested = (of: ImportPlan, more?: Suggested): WizardState =>
    after([
        { type: 'PROFILED', profile },
        { type: 'SUGGESTED', profileId: 'p1', suggestion: suggestion(of, more) },
    ]);
const saved = (state: WizardState, step: WizardStep): WizardState =>
    reduceWizard(state, { type: 'SAVED', draft: { id: 'd1', version: 1 }, saved: partToSave(state, step)! });
const whole = plan(['sku', 'name', 'price']);

describe('the screens of the wizard', () => {
    it('open as far as their data is there', () => {
        expect(openStep(newWizard(), 'CHECK')).toBe('FILE');
        expect(openStep(after([{ type: 'PROFILED', profile }]), 'CHECK')).toBe('FILE');
        expect(openStep(suggested(plan(['sku', 'name'])), 'CHECK')).toBe('MAPPING');
        expect(openStep(suggested(whole), 'CHECK')).toBe('CHECK');
        expect(openStep(suggested(whole), 'IMPORT')).toBe('CHECK');
        expect(openStep(suggested(whole), 'TARGET')).toBe('TARGET');
        expect(openStep(suggested(whole), undefined)).toBe('FILE');
        expect(openStep(suggested(whole), 'no such screen')).toBe('FILE');
    });

    it('do not open for a file without rows', () => {
        const state = after([
            { type: 'PROFILED', profile: { ...profile, rows: 0 } },
            { type: 'SUGGESTED', profileId: 'p1', suggestion: suggestion(whole) },
        ]);
        expect(openStep(state, 'TARGET')).toBe('FILE');
    });

    it('wait for a plan that belongs to the file as it is read now', () => {
        const other = reduceWizard(suggested(whole), { type: 'PROFILED', profile: { ...profile, id: 'p2' } });
        expect(openStep(other, 'MAPPING')).toBe('FILE');
        const late = reduceWizard(other, { type: 'SUGGESTED', profileId: 'p1', suggestion: suggestion(whole) });
        expect(openStep(late, 'MAPPING')).toBe('FILE');
        const right = reduceWizard(other, { type: 'SUGGESTED', profileId: 'p2', suggestion: suggestion(whole) });
        expect(openStep(right, 'MAPPING')).toBe('MAPPING');
    });

    it('skip the target if it is clear, and only on the way forward', () => {
        const clear = suggested(whole, { isTargetClear: true });
        expect(stepAfter(clear, 'FILE')).toBe('MAPPING');
        expect(stepAfter(suggested(whole), 'FILE')).toBe('TARGET');
        expect(stepAfter(clear, 'TARGET')).toBe('MAPPING');
        expect(stepAfter(clear, 'IMPORT')).toBe('IMPORT');
    });

    it('skip the target that the user came for if its columns are there, but not one that was changed', () => {
        const customers = plan(['sku', 'name', 'price'], { target: 'CUSTOMERS' });
        const state = suggested(customers, { targets: ['ORDERS', 'CUSTOMERS'], isTargetClear: true });
        expect(isTargetClear(state)).toBe(false);
        expect(isTargetClear({ ...state, preset: 'CUSTOMERS' })).toBe(true);
        const lacking = suggested(plan(['sku'], { target: 'CUSTOMERS' }));
        expect(isTargetClear({ ...lacking, preset: 'CUSTOMERS' })).toBe(false);
    });
});

describe('a plan', () => {
    it('lacks the required fields that nothing fills', () => {
        expect(fieldsWithoutColumn(suggested(plan(['sku', 'name.de'])))).toEqual(['price']);
        expect(fieldsWithoutColumn(suggested(plan(['sku', 'name', 'price.USD'])))).toEqual([]);
        const hidden = plan(['sku', 'name'], { prices: { missing: 'DISABLE' } });
        expect(fieldsWithoutColumn(suggested(hidden))).toEqual([]);
        const numbered = plan(['name', 'price'], {
            variants: { grouping: { kind: 'BY_COLUMN', column: 'Handle' }, skuFallback: '${key}-${n}' },
        });
        expect(fieldsWithoutColumn(suggested(numbered))).toEqual([]);
    });

    it('is dropped with the file that it was made for, and the draft stays', () => {
        const other = reduceWizard(saved(suggested(whole), 'FILE'), {
            type: 'PROFILED',
            profile: { ...profile, id: 'p9', fileId: 'f9' },
        });
        expect(other.draft).toEqual({ id: 'd1', version: 1 });
        expect(other.plan).toBeUndefined();
        expect(hasUnsavedChanges(other, 'FILE')).toBe(false);
        const planned = reduceWizard(other, { type: 'SUGGESTED', profileId: 'p9', suggestion: suggestion(whole) });
        expect(hasUnsavedChanges(planned, 'FILE')).toBe(true);
    });

    it('reads the file where it comes from, if it is read again', () => {
        const origin = { kind: 'URL', url: 'https://shop.example/prices.csv' } as const;
        const state = after([
            { type: 'PROFILED', profile, origin },
            { type: 'SUGGESTED', profileId: 'p1', suggestion: suggestion(whole) },
        ]);
        expect(state.plan?.source).toEqual(origin);
    });

    it('is unsaved after a change, on another screen, and for a file with other facts', () => {
        const state = saved(suggested(whole), 'MAPPING');
        expect(hasUnsavedChanges(state, 'MAPPING')).toBe(false);
        expect(hasUnsavedChanges(state, 'TARGET')).toBe(true);
        const changed = reduceWizard(state, { type: 'PLAN_CHANGED', plan: { ...whole, matchBy: 'slug' } });
        expect(hasUnsavedChanges(changed, 'MAPPING')).toBe(true);
        const read = after(
            [
                { type: 'PROFILED', profile: { ...profile, id: 'p2' } },
                { type: 'SUGGESTED', profileId: 'p2', suggestion: suggestion(whole) },
            ],
            state,
        );
        expect(hasUnsavedChanges(read, 'MAPPING')).toBe(true);
    });

    it('has nothing to save while no field has a column', () => {
        const state = suggested(plan([]));
        expect(partToSave(state, 'FILE')).toBeUndefined();
        expect(hasUnsavedChanges(state, 'FILE')).toBe(false);
    });

    it('is unsaved if it was changed while an earlier state was saved', () => {
        const state = suggested(whole);
        const changed = reduceWizard(state, { type: 'PLAN_CHANGED', plan: { ...whole, matchBy: 'slug' } });
        const late = reduceWizard(changed, {
            type: 'SAVED',
            draft: { id: 'd1', version: 1 },
            saved: partToSave(state, 'MAPPING')!,
        });
        expect(hasUnsavedChanges(late, 'MAPPING')).toBe(true);
    });

    it('reads numbers in another style with the file, except those that already have the other style', () => {
        const price = {
            field: 'price',
            columns: ['UVP'],
            conversions: [{ type: 'NUMBER', decimals: 'COMMA' }],
        } as const;
        const weight = {
            field: 'weight',
            columns: ['kg'],
            conversions: [{ type: 'NUMBER', decimals: 'POINT' }],
        } as const;
        const made = withDecimals({ ...whole, fields: [price, weight] }, 'POINT');
        expect(made.facts.decimals).toBe('POINT');
        expect(made.fields.flatMap(({ conversions }) => conversions)).toEqual([
            { type: 'NUMBER', decimals: 'POINT' },
            { type: 'NUMBER', decimals: 'POINT' },
        ]);
        const other = withDecimals(
            { ...whole, fields: [price, weight], facts: { ...facts, decimals: 'POINT' } },
            'COMMA',
        );
        expect(other.fields[0]?.conversions).toEqual(price.conversions);
        expect(withDecimals(whole, 'COMMA')).toBe(whole);
    });

    it('of an earlier import is used for the file that it fits, and not for one that was read meanwhile', () => {
        const pipeline = { id: 'x1', name: 'Huber prices' };
        const action = { type: 'REPEATED', profileId: 'p1', suggestion: suggestion(whole), pipeline } as const;
        const state = reduceWizard(suggested(plan(['sku'])), action);
        expect(state).toMatchObject({ plan: whole, repeats: pipeline });
        expect(stepAfter(state, 'FILE')).toBe('MAPPING');
        const other = after([{ type: 'PROFILED', profile: { ...profile, id: 'p2' } }]);
        expect(reduceWizard(other, action)).toBe(other);
    });

    it('that the server has changed is saved, and has to be checked again', () => {
        const state = saved(suggested(whole), 'CHECK');
        const checked = reduceWizard(state, { type: 'CHECK_STARTED', runId: 'r1' });
        expect(isChecked(checked)).toBe(true);
        const replaced = reduceWizard(checked, {
            type: 'PLAN_REPLACED',
            plan: { ...whole, remedies: [{ type: 'CREATE_HIDDEN' }] },
            draft: { id: 'd1', version: 2 },
        });
        expect(isChecked(replaced)).toBe(false);
        expect(hasUnsavedChanges(replaced, 'CHECK')).toBe(false);
    });

    it('is not saved any more once it was imported', () => {
        const done = reduceWizard(saved(suggested(whole), 'CHECK'), {
            type: 'IMPORTED',
            result: { pipelineId: 'x1', runId: 'r2' },
        });
        expect(openStep(done, 'IMPORT')).toBe('IMPORT');
        // The browser's way back leads to no screen whose draft was deleted.
        expect(openStep(done, 'CHECK')).toBe('IMPORT');
        expect(isReachable(done, 'MAPPING')).toBe(false);
        expect(hasUnsavedChanges(done, 'IMPORT')).toBe(false);
    });
});

describe('a draft', () => {
    it('is continued where it was left, without a change', () => {
        const state = reduceWizard(newWizard(), {
            type: 'RESUMED',
            draft: {
                draft: { id: 'd1', version: 4 },
                step: 'CHECK',
                profile,
                plan: whole,
                suggestion: suggestion(whole),
                runId: 'r1',
            },
        });
        expect(openStep(state, 'CHECK')).toBe('CHECK');
        expect(hasUnsavedChanges(state, 'CHECK')).toBe(false);
        expect(isChecked(state)).toBe(true);
        expect(reduceWizard(state, { type: 'STARTED_OVER' })).toEqual(newWizard());
    });
});
