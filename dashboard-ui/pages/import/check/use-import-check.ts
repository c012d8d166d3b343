import { api } from '@vendure/dashboard';
import { useCallback, useEffect, useRef, useState } from 'react';
import { faultOf } from '../../../ground/fault';
import { hasEnded } from '../../../ground/run-state';
import { useWatched } from '../../../ground/use-watched';
import type { ImportPlan, Remedy } from '../import-plan';
import { useWizard } from '../wizard-context';
import { isChecked } from '../wizard-state';
import {
    applyRemedyDocument,
    type ImportCheck,
    importCheckDocument,
    startCheckDocument,
    undoRemedyDocument,
} from './check.graphql';

/** What has happened to the import in another window, so that this one cannot continue. */
export type ChangedElsewhere = 'CHANGED' | 'ENDED';

/** The check of the plan, and what can be done about it. */
export interface Checking {
    /** Undefined until the first response, and while a check of a changed plan has not started. */
    readonly check: ImportCheck | undefined;
    readonly isRunning: boolean;
    readonly elsewhere: ChangedElsewhere | undefined;
    readonly error: unknown;
    readonly restart: () => void;
    /** Changes the plan by a remedy, or takes it back. The check is repeated. */
    readonly decide: (remedy: Remedy, isUndone?: boolean) => void;
    /** A remedy is being applied. */
    readonly isDeciding: boolean;
    /** Queries again whether another window has changed the import. */
    readonly refetch: () => Promise<unknown>;
}

/** Checks the plan while the screen is open, and again after each change of it. A check of the same plan in another window counts, too. */
export function useImportCheck(): Checking {
    const { state, dispatch, saving } = useWizard();
    const { saveNow } = saving;
    const [error, setError] = useState<unknown>();
    const [attempt, setAttempt] = useState(0);
    const [isDeciding, setDeciding] = useState(false);
    const checked = isChecked(state);
    const draftId = state.draft?.id;
    const runId = state.check?.runId;
    /** Checks that were shown or replaced here: a late response about one of them is not news. */
    const known = useRef(new Set<string>());
    if (runId !== undefined) known.current.add(runId);
    const start = useCallback(async (): Promise<void> => {
        setError(undefined);
        const { id } = await saveNow();
        const { checkFlowImport } = await api.mutate(startCheckDocument, { draftId: id });
        dispatch({ type: 'CHECK_STARTED', runId: checkFlowImport.runId });
    }, [saveNow, dispatch]);
    const underWay = useRef<Promise<void>>(undefined);
    useEffect(() => {
        if (checked && attempt === 0) return;
        // One start at a time; the server cancels a check of an older plan.
        const next = (underWay.current ?? Promise.resolve()).then(start).catch(setError);
        underWay.current = next;
        setAttempt(0);
    }, [checked, attempt, start]);
    const {
        data,
        error: failed,
        refetch,
    } = useWatched({
        document: importCheckDocument,
        variables: { draftId: draftId ?? '' },
        enabled: draftId !== undefined && runId !== undefined,
        // An older check means that the response was late, and another one that a window has started it since.
        hasEnded: ({ flowImportCheck: latest }) =>
            latest !== null && hasEnded(latest.run) && (latest.runId === runId || !known.current.has(latest.runId)),
        isShared: true,
    });
    const latest = data?.flowImportCheck;
    const check = latest && checked && latest.runId === runId ? (latest as ImportCheck) : undefined;
    const isSettled = checked && !isDeciding && saving.state === 'SAVED';
    const isChanged = isSettled && (data?.flowImportDraft?.version ?? 0) > (state.draft?.version ?? 0);
    const elsewhere = elsewhereOf(error ?? failed, isChanged);
    const other = isSettled && !isChanged && latest?.isCurrent === true ? latest.runId : undefined;
    useEffect(() => {
        if (other !== undefined && !known.current.has(other)) dispatch({ type: 'CHECK_STARTED', runId: other });
    }, [other, dispatch]);
    const decide = useCallback(
        async (remedy: Remedy, isUndone: boolean): Promise<void> => {
            setDeciding(true);
            try {
                const { id, version } = await saveNow();
                const changed = await changePlan({ draftId: id, version, remedy }, isUndone);
                const { id: draft, version: newest, plan } = changed;
                dispatch({
                    type: 'PLAN_REPLACED',
                    plan: plan as ImportPlan,
                    draft: { id: draft, version: newest },
                });
            } catch (reason) {
                setError(reason);
            } finally {
                setDeciding(false);
            }
        },
        [saveNow, dispatch],
    );
    return {
        check,
        elsewhere,
        isRunning: error === undefined && elsewhere === undefined && (check === undefined || !hasEnded(check.run)),
        error: elsewhere === undefined ? (error ?? failed ?? undefined) : undefined,
        restart: () => setAttempt(number => number + 1),
        decide: (remedy, isUndone = false) => void decide(remedy, isUndone),
        isDeciding,
        refetch,
    };
}

/** What a failed request or a newer version says about the import. */
export function elsewhereOf(error: unknown, isChanged: boolean): ChangedElsewhere | undefined {
    const code = error === undefined || error === null ? undefined : faultOf(error).code;
    if (code === 'IMPORT_DRAFT_NOT_FOUND') return 'ENDED';
    return code === 'REVISION_CONFLICT' || isChanged ? 'CHANGED' : undefined;
}

interface Decision {
    readonly draftId: string;
    readonly version: number;
    readonly remedy: Remedy;
}

async function changePlan(decision: Decision, isUndone: boolean) {
    if (isUndone) return (await api.mutate(undoRemedyDocument, decision)).undoFlowImportRemedy;
    return (await api.mutate(applyRemedyDocument, decision)).applyFlowImportRemedy;
}
