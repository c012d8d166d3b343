import type { FileProfile, ImportSuggestion } from './import.graphql';
import type { DecimalStyle, ImportPlan, ImportSource, ImportTarget } from './import-plan';

/** The screens in their order. */
export const STEPS = ['FILE', 'TARGET', 'MAPPING', 'CHECK', 'IMPORT'] as const;
export type WizardStep = (typeof STEPS)[number];

/** The stored state of an import. A save names the version that it changes. */
export interface DraftVersion {
    readonly id: string;
    readonly version: number;
}

/** A pipeline whose import is repeated with another file. */
export interface RepeatedPipeline {
    readonly id: string;
    readonly name: string;
}

/** The pipeline that was made of the plan, and its run. */
export interface ImportResult {
    readonly pipelineId: string;
    /** Absent if the pipeline waits for approval. */
    readonly runId?: string;
}

/** Everything that the wizard knows. The screen that is shown is part of the address, not of the state. */
export interface WizardState {
    /** The target that the user came for, for example from the list of customers. */
    readonly preset?: ImportTarget;
    /** Where the file is read at every import, if not the stored file itself. */
    readonly origin?: ImportSource;
    readonly profile?: FileProfile;
    readonly suggestion?: ImportSuggestion;
    readonly plan?: ImportPlan;
    /** The profile that the plan was made for. While the file is read with other facts, the plan is still that of the profile before. */
    readonly plannedFor?: string;
    /** Whether the user has changed the plan: a later suggestion must keep it. */
    readonly isPlanEdited?: boolean;
    readonly repeats?: RepeatedPipeline;
    readonly draft?: DraftVersion;
    /** What the draft contains. */
    readonly saved?: SavedPart;
    /** The dry run of the latest check, and the plan that it checked. */
    readonly check?: { readonly runId: string; readonly plan: ImportPlan | undefined };
    readonly result?: ImportResult;
}

/** The parts of the state that a draft stores. */
export interface SavedPart {
    readonly profileId: string;
    readonly plan: ImportPlan;
    readonly step: WizardStep;
}

/** What is taken from a stored draft. */
export interface ResumedDraft {
    readonly draft: DraftVersion;
    readonly step: WizardStep;
    readonly profile: FileProfile;
    readonly plan: ImportPlan;
    readonly suggestion: ImportSuggestion;
    readonly repeats?: RepeatedPipeline;
    /** A check of the plan as it is. */
    readonly runId?: string;
}

export type WizardAction =
    /** A file was read, for the first time or with other facts. Another file drops what was known about the one before. */
    | { readonly type: 'PROFILED'; readonly profile: FileProfile; readonly origin?: ImportSource }
    /** Columns were matched; the plan is the suggested one. Ignored if the file was read with other facts since. */
    | { readonly type: 'SUGGESTED'; readonly profileId: string; readonly suggestion: ImportSuggestion }
    /** The user has changed the plan. */
    | { readonly type: 'PLAN_CHANGED'; readonly plan: ImportPlan }
    /** The server has changed the plan and saved it, for example by a remedy. */
    | { readonly type: 'PLAN_REPLACED'; readonly plan: ImportPlan; readonly draft: DraftVersion }
    /** The mapping of an earlier import is used for this file. */
    | {
          readonly type: 'REPEATED';
          readonly profileId: string;
          readonly suggestion: ImportSuggestion;
          readonly pipeline: RepeatedPipeline;
      }
    | { readonly type: 'SAVED'; readonly draft: DraftVersion; readonly saved: SavedPart }
    | { readonly type: 'CHECK_STARTED'; readonly runId: string }
    | { readonly type: 'IMPORTED'; readonly result: ImportResult }
    | { readonly type: 'RESUMED'; readonly draft: ResumedDraft }
    | { readonly type: 'STARTED_OVER'; readonly preset?: ImportTarget };

/** What the address of the page says. */
export interface WizardAddress {
    readonly preset?: ImportTarget | undefined;
    readonly result?: ImportResult | undefined;
}

/** A wizard that knows only what its address says. */
export function newWizard({ preset, result }: WizardAddress = {}): WizardState {
    return { ...(preset && { preset }), ...(result && { result }) };
}

/** The state after an action. */
export function reduceWizard(state: WizardState, action: WizardAction): WizardState {
    switch (action.type) {
        case 'PROFILED': {
            const { profile, origin } = action;
            if (profile.fileId === state.profile?.fileId) return { ...state, profile };
            return { ...withoutFile(state), profile, ...(origin && { origin }) };
        }
        case 'SUGGESTED':
            return planned(state, action);
        case 'REPEATED': {
            const next = planned(state, action);
            return next === state ? state : { ...next, isPlanEdited: true, repeats: action.pipeline };
        }
        case 'PLAN_CHANGED':
            return { ...state, plan: action.plan, isPlanEdited: true };
        case 'PLAN_REPLACED': {
            const { plan, draft } = action;
            return {
                ...state,
                plan,
                isPlanEdited: true,
                draft,
                ...(state.saved && { saved: { ...state.saved, plan } }),
            };
        }
        case 'SAVED':
            return { ...state, draft: action.draft, saved: action.saved };
        case 'CHECK_STARTED':
            return { ...state, check: { runId: action.runId, plan: state.plan } };
        case 'IMPORTED':
            return { ...state, result: action.result };
        case 'RESUMED':
            return resumed(action.draft);
        case 'STARTED_OVER':
            return newWizard(action.preset === undefined ? {} : { preset: action.preset });
    }
}

function planned(
    state: WizardState,
    { profileId, suggestion }: { readonly profileId: string; readonly suggestion: ImportSuggestion },
): WizardState {
    if (profileId !== state.profile?.id) return state;
    const plan = state.origin ? { ...suggestion.plan, source: state.origin } : suggestion.plan;
    return { ...state, suggestion, plan, plannedFor: profileId };
}

/** The draft stays the same, so that another file replaces the one that was chosen by mistake. */
function withoutFile({ preset, draft }: WizardState): WizardState {
    return { ...(preset && { preset }), ...(draft && { draft }) };
}

function resumed({ draft, step, profile, plan, suggestion, repeats, runId }: ResumedDraft): WizardState {
    return {
        ...(plan.source.kind !== 'FILE' && { origin: plan.source }),
        profile,
        suggestion,
        plan,
        plannedFor: profile.id,
        isPlanEdited: true,
        ...(repeats && { repeats }),
        draft,
        saved: { profileId: profile.id, plan, step },
        ...(runId !== undefined && { check: { runId, plan } }),
    };
}

/** Whether everything that a screen needs is there. An import that was started cannot be changed any more. */
export function isReachable(state: WizardState, step: WizardStep): boolean {
    if (state.result) return step === 'IMPORT';
    switch (step) {
        case 'FILE':
            return true;
        case 'TARGET':
        case 'MAPPING':
            return isReadable(state.profile) && isPlanned(state);
        case 'CHECK':
            return isReachable(state, 'MAPPING') && fieldsWithoutColumn(state).length === 0;
        case 'IMPORT':
            return false;
    }
}

function isReadable(profile: FileProfile | undefined): boolean {
    return profile !== undefined && profile.columns.length > 0 && profile.rows > 0;
}

/** Whether the plan belongs to the file as it is read now. */
export function isPlanned({ profile, plan, plannedFor }: WizardState): boolean {
    return plan !== undefined && profile !== undefined && plannedFor === profile.id;
}

/** The requested screen, or the last one before it that can be shown. */
export function openStep(state: WizardState, requested: string | undefined): WizardStep {
    if (state.result) return 'IMPORT';
    const last = Math.max(0, STEPS.indexOf(requested as WizardStep));
    return STEPS.slice(0, last + 1).findLast(step => isReachable(state, step)) ?? 'FILE';
}

/** The screen after this one. The target is skipped if it is clear. */
export function stepAfter(state: WizardState, step: WizardStep): WizardStep {
    const next = STEPS[STEPS.indexOf(step) + 1] ?? step;
    return next === 'TARGET' && isTargetClear(state) ? 'MAPPING' : next;
}

/** Whether the user does not have to choose the target: it leads clearly, or the user came for it and its columns are there, or a pipeline has it. */
export function isTargetClear(state: WizardState): boolean {
    const { suggestion, plan, preset, repeats } = state;
    if (!suggestion || !plan) return false;
    if (repeats) return true;
    if (plan.target === preset) return fieldsWithoutColumn(state).length === 0;
    return suggestion.isTargetClear && suggestion.targets[0]?.target === plan.target;
}

/** Required fields that no column, value or decision of the plan fills. */
export function fieldsWithoutColumn({ suggestion, plan }: WizardState): readonly string[] {
    if (!suggestion || !plan) return [];
    const filled = new Set(plan.fields.map(({ field }) => field.split('.')[0]));
    return suggestion.fields
        .filter(({ field, isRequired }) => isRequired && !filled.has(field.split('.')[0]))
        .map(({ field }) => field)
        .filter(field => !isReplaced(field, plan));
}

/** New products without a price can be created disabled, and variants without a SKU can be numbered. */
function isReplaced(field: string, plan: ImportPlan): boolean {
    if (field === 'price') return plan.target === 'PRODUCTS' && plan.prices.missing === 'DISABLE';
    return field === 'sku' && plan.variants?.skuFallback !== undefined;
}

/** The plan for a file whose numbers are read in another style. Fields that are read in the other style stay as they are. */
export function withDecimals(plan: ImportPlan, decimals: DecimalStyle): ImportPlan {
    const before = plan.facts.decimals;
    if (before === decimals) return plan;
    const fields = plan.fields.map(field => ({
        ...field,
        conversions: field.conversions.map(one =>
            one.type === 'NUMBER' && one.decimals === before ? { ...one, decimals } : one,
        ),
    }));
    return { ...plan, facts: { ...plan.facts, decimals }, fields };
}

/** What a draft has to store of the state; undefined before there is a plan that fills a field. */
export function partToSave(state: WizardState, step: WizardStep): SavedPart | undefined {
    const { profile, plan } = state;
    return isPlanned(state) && profile && plan && plan.fields.length > 0
        ? { profileId: profile.id, plan, step }
        : undefined;
}

/** Whether the draft lacks a change. An import that was started has no draft any more. */
export function hasUnsavedChanges(state: WizardState, step: WizardStep): boolean {
    const part = partToSave(state, step);
    if (!part || state.result) return false;
    const { saved } = state;
    return saved?.plan !== part.plan || saved.profileId !== part.profileId || saved.step !== part.step;
}

/** Whether the latest check was of the plan as it is now. */
export function isChecked({ check, plan }: WizardState): boolean {
    return check !== undefined && check.plan === plan;
}
