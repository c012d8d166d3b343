import { api, useMutation } from '@vendure/dashboard';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { faultOf } from '../../../ground/fault';
import { useRefreshed } from '../../../parts/use-refreshed';
import { type EditedPipeline, editedPipelineDocument, saveDocument, standingDocument } from '../editor.graphql';
import { same } from '../model/compare';
import { type Definition, isObject } from '../model/definition';
import type { DrawingState } from './drawing';
import { keeper, type RecoveryCopy } from './kept';

/** A stored version: what was read, or what was saved last. */
export interface Stored {
    readonly version: number;
    readonly definition: Definition;
}

/** What another user saved in the meantime. */
export interface Foreign extends Stored {
    readonly by: string | undefined;
    readonly at: string | undefined;
}

/** Where the drawing is on its way to the server. */
export interface Saving {
    readonly base: Stored;
    readonly isDirty: boolean;
    readonly isSaving: boolean;
    readonly error: Error | null;
    /** Another user has saved another definition since. */
    readonly foreign: Foreign | undefined;
    /** What was left unsaved the last time, until it is decided about. */
    readonly recovery: RecoveryCopy | undefined;
    /** Whether the browser keeps what is not saved. */
    readonly isKept: boolean;
    /** Saves. Returns the version, or undefined if it was rejected. */
    save(): Promise<number | undefined>;
    /** Another version is what the drawing is compared with from now on. */
    rebase(stored: Stored): void;
    decide(takesUp: boolean): void;
}

const KEEP_AFTER_MS = 300;

interface SavingOf {
    readonly pipeline: EditedPipeline;
    readonly drawing: DrawingState;
    readonly isReadOnly: boolean;
}

/** Saving by hand, with a recovery copy in the browser, and an eye on what others save. */
export function useSaving({ pipeline, drawing, isReadOnly }: SavingOf): Saving {
    const kept = useMemo(() => keeper(localStorage, pipeline.id), [pipeline.id]);
    const [base, setBase] = useState<Stored>(() => ({
        version: pipeline.version,
        definition: definitionOf(pipeline),
    }));
    const [recovery, setRecovery] = useState(() => {
        const copy = isReadOnly ? undefined : kept.copy();
        return copy && !same(copy.definition, base.definition) ? copy : undefined;
    });
    const [isKept, setKept] = useState(true);
    const { definition } = drawing;
    const isDirty = useMemo(() => !same(definition, base.definition), [definition, base.definition]);

    useEffect(() => {
        if (isReadOnly || recovery) return undefined;
        if (!isDirty) {
            kept.dropCopy();
            return undefined;
        }
        const copy = { version: base.version, base: base.definition, definition, at: Date.now() };
        const timer = setTimeout(() => setKept(kept.keepCopy(copy)), KEEP_AFTER_MS);
        return () => clearTimeout(timer);
    }, [kept, isReadOnly, recovery, isDirty, base, definition]);

    const [foreign, takeForeign] = useForeign(pipeline.id, base, setBase);
    const latest = useRef({ base, definition });
    latest.current = { base, definition };
    const saving = useMutation({
        mutationFn: async () => {
            const { base: from, definition: sent } = latest.current;
            if (same(from.definition, sent)) return from.version;
            const answer = await api.mutate(saveDocument, { id: pipeline.id, version: from.version, definition: sent });
            const { version } = answer.updateFlowPipeline;
            setBase({ version, definition: sent });
            latest.current = { ...latest.current, base: { version, definition: sent } };
            return version;
        },
        onError: error => {
            if (faultOf(error).code === 'REVISION_CONFLICT') void takeForeign();
        },
    });
    const { mutateAsync, reset } = saving;
    const underWay = useRef<Promise<number | undefined>>(undefined);
    const save = useCallback(() => {
        // Who saves once more meanwhile would find a version that is his own.
        underWay.current ??= mutateAsync()
            .catch(() => undefined) // The reason is in `error`.
            .finally(() => (underWay.current = undefined));
        return underWay.current;
    }, [mutateAsync]);
    return {
        base,
        isDirty,
        isSaving: saving.isPending,
        error: saving.error && faultOf(saving.error).code === 'REVISION_CONFLICT' ? null : saving.error,
        foreign,
        recovery,
        isKept,
        save,
        rebase(stored) {
            reset();
            setBase(stored);
        },
        decide(takesUp) {
            if (recovery && takesUp) {
                setBase({ version: recovery.version, definition: recovery.base });
                drawing.edit(() => recovery.definition, { select: [] });
            }
            setRecovery(undefined);
        },
    };
}

/** What another user saved, queried when the version changes. A version with the same definition is adopted silently. */
function useForeign(
    id: string,
    base: Stored,
    setBase: (stored: Stored) => void,
): readonly [Foreign | undefined, () => Promise<void>] {
    const [foreign, setForeign] = useState<Foreign>();
    const { data } = useRefreshed({ document: standingDocument, variables: { id } });
    const version = data?.flowPipeline?.version;
    const current = useRef(base);
    current.current = base;
    const take = useCallback(async (): Promise<void> => {
        const { flowPipeline } = await api.query(editedPipelineDocument, { id });
        if (!flowPipeline || flowPipeline.version <= current.current.version) return;
        const theirs = definitionOf(flowPipeline);
        if (same(theirs, current.current.definition)) setBase({ ...current.current, version: flowPipeline.version });
        else
            setForeign({
                version: flowPipeline.version,
                definition: theirs,
                by: flowPipeline.workingCopy?.updatedBy?.identifier,
                at: flowPipeline.workingCopy?.updatedAt,
            });
    }, [id, setBase]);
    useEffect(() => {
        if (version !== undefined && version > current.current.version) take().catch(() => undefined); // The next response triggers another query.
    }, [version, take]);
    return [foreign && foreign.version > base.version ? foreign : undefined, take];
}

/** What is edited: the working copy; of a pipeline of the shop's code what runs. */
export function definitionOf({ workingCopy, revision }: EditedPipeline): Definition {
    const definition = workingCopy ? workingCopy.definition : revision?.definition;
    return isObject(definition) ? definition : { version: 1, steps: [], edges: [] };
}
