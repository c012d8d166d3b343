import { api } from '@vendure/dashboard';
import { type Dispatch, useCallback, useRef, useState } from 'react';
import type { VariablesOf } from '../../gql/graphql';
import {
    type FileProfile,
    importProfileDocument,
    importSuggestionDocument,
    type ImportSuggestion,
} from './import.graphql';
import type { ImportPlan, ImportSource, ImportTarget } from './import-plan';
import { type RepeatedPipeline, type WizardAction, type WizardState, withDecimals } from './wizard-state';

/** Facts that the user has set; all others are detected. */
export type SetFacts = NonNullable<VariablesOf<typeof importProfileDocument>['facts']>;

/** A stored file, and how it is read. */
export interface FileToRead {
    readonly fileId: string;
    readonly facts?: SetFacts;
    /** Where later imports read it, if not the stored file. */
    readonly origin?: ImportSource;
}

/** Requests about the file: what it contains, and what could be made of it. */
export interface FileReading {
    /** What is in progress. */
    readonly pending: 'FILE' | 'SUGGESTION' | undefined;
    /** Why the latest request failed. */
    readonly failed: { readonly what: 'FILE' | 'SUGGESTION'; readonly error: unknown } | undefined;
    /** Reads a file and suggests a plan for it. A later call replaces an earlier one. */
    readonly read: (file: FileToRead) => Promise<void>;
    /** Suggests a plan for another target, or again for the same one. */
    readonly suggest: (target?: ImportTarget) => Promise<void>;
    /** Uses the plan of an earlier import for this file. Resolves to whether that worked. */
    readonly repeat: (plan: ImportPlan, pipeline: RepeatedPipeline) => Promise<boolean>;
}

/** The file of the wizard. Errors are in `failed`; the functions do not reject. */
export function useFileReading(state: WizardState, dispatch: Dispatch<WizardAction>): FileReading {
    const [pending, setPending] = useState<FileReading['pending']>();
    const [failed, setFailed] = useState<FileReading['failed']>();
    const current = useRef(state);
    current.current = state;
    const latest = useRef(0);
    /** Runs one request; its result counts unless a later request was made meanwhile. */
    const perform = useCallback(
        async <T>(what: 'FILE' | 'SUGGESTION', request: () => Promise<T>): Promise<T | undefined> => {
            const number = ++latest.current;
            setPending(what);
            setFailed(undefined);
            try {
                const result = await request();
                return number === latest.current ? result : undefined;
            } catch (error) {
                if (number === latest.current) setFailed({ what, error });
                return undefined;
            } finally {
                if (number === latest.current) setPending(undefined);
            }
        },
        [],
    );
    const plan = useCallback(
        async (profile: FileProfile, target: ImportTarget | undefined, kept: ImportPlan | undefined): Promise<void> => {
            const suggestion = await perform('SUGGESTION', () => fetchSuggestion(profile.id, target, kept));
            if (suggestion) dispatch({ type: 'SUGGESTED', profileId: profile.id, suggestion });
        },
        [perform, dispatch],
    );
    const read = useCallback(
        async ({ fileId, facts, origin }: FileToRead): Promise<void> => {
            const profile = await perform('FILE', async () => {
                const { flowImportProfile } = await api.query(importProfileDocument, { fileId, facts });
                return flowImportProfile;
            });
            if (!profile) return;
            const { profile: before, preset, plan: made, isPlanEdited } = current.current;
            const isSame = before?.fileId === fileId;
            dispatch({ type: 'PROFILED', profile, ...(origin && { origin }) });
            if (profile.columns.length === 0 || profile.rows === 0) return;
            const kept = isSame && isPlanEdited && made ? withDecimals(made, profile.facts.decimals) : undefined;
            await plan(profile, isSame ? made?.target : preset, kept);
        },
        [perform, plan, dispatch],
    );
    const suggest = useCallback(
        async (target?: ImportTarget): Promise<void> => {
            const { profile, plan: made, isPlanEdited } = current.current;
            if (!profile) return;
            const isOther = target !== undefined && target !== made?.target;
            await plan(profile, target ?? made?.target, isPlanEdited && !isOther ? made : undefined);
        },
        [plan],
    );
    const repeat = useCallback(
        async (repeated: ImportPlan, pipeline: RepeatedPipeline): Promise<boolean> => {
            const { profile } = current.current;
            if (!profile) return false;
            const suggestion = await perform('SUGGESTION', () =>
                fetchSuggestion(profile.id, repeated.target, repeated),
            );
            if (suggestion) dispatch({ type: 'REPEATED', profileId: profile.id, suggestion, pipeline });
            return suggestion !== undefined;
        },
        [perform, dispatch],
    );
    return { pending, failed, read, suggest, repeat };
}

/** Target, mapping and conversions for a file. With a plan, its decisions are kept. */
export async function fetchSuggestion(
    profileId: string,
    target?: ImportTarget,
    plan?: ImportPlan,
): Promise<ImportSuggestion> {
    const { flowImportSuggestion } = await api.query(importSuggestionDocument, { profileId, target, plan });
    return { ...flowImportSuggestion, plan: flowImportSuggestion.plan as ImportPlan };
}
