import { api } from '@vendure/dashboard';
import { useCallback, useEffect, useRef, useState } from 'react';
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

/** The check of the plan, and what can be done about it. */
export interface Checking {
    /** Undefined until the first response, and while a check of a changed plan has not started. */
    readonly check: ImportCheck | undefined;
    readonly isRunning: boolean;
    /** Another window has checked this import since. */
    readonly isReplaced: boolean;
    readonly error: unknown;
    readonly restart: () => void;
    /** Changes the plan by a remedy, or takes it back. The check is repeated. */
    readonly decide: (remedy: Remedy, isUndone?: boolean) => void;
    /** A remedy is being applied. */
    readonly isDeciding: boolean;
}

/** Checks the plan while the screen is open, and again after each change of it. */
export function useImportCheck(): Checking {
    const { state, dispatch, saving } = useWizard();
    const { saveNow } = saving;
    const [error, setError] = useState<unknown>();
    const [attempt, setAttempt] = useState(0);
    const [isDeciding, setDeciding] = useState(false);
    const checked = isChecked(state);
    const draftId = state.draft?.id;
    const startedAt = useRef(0);
    const start = useCallback(async (): Promise<void> => {
        setError(undefined);
        const { id } = await saveNow();
        const { checkFlowImport } = await api.mutate(startCheckDocument, { draftId: id });
        startedAt.current = Date.now();
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
        asOf,
    } = useWatched({
        document: importCheckDocument,
        variables: { draftId: draftId ?? '' },
        enabled: draftId !== undefined && state.check !== undefined,
        hasEnded: ({ flowImportCheck: latest }) =>
            latest !== null && latest.runId === state.check?.runId && hasEnded(latest.run),
    });
    const latest = data?.flowImportCheck;
    const check = latest && checked && latest.runId === state.check?.runId ? (latest as ImportCheck) : undefined;
    // Another window has started a check since, which has cancelled this one.
    const isReplaced = checked && latest && latest.runId !== state.check?.runId && asOf > startedAt.current;
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
        isReplaced: isReplaced === true,
        isRunning: error === undefined && isReplaced !== true && (check === undefined || !hasEnded(check.run)),
        error: error ?? failed ?? undefined,
        restart: () => setAttempt(number => number + 1),
        decide: (remedy, isUndone = false) => void decide(remedy, isUndone),
        isDeciding,
    };
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
