import { api, useMutation } from '@vendure/dashboard';
import { useCallback, useMemo, useState } from 'react';
import { type StepTest, stepTestDocument } from '../editor.graphql';
import { type Definition, edgesOf } from '../model/definition';
import { type FilesOfSteps, withFiles } from './files-of-steps';
import { pathsWithin, type SamplePath, samplePaths } from './sample-paths';

/** Records to try a step with. */
export interface TrialRequest {
    readonly stepKey: string;
    /** As it is drawn. */
    readonly definition: Definition;
    /** Stored files that sources read instead of the configured ones, by step key. */
    readonly files?: FilesOfSteps;
    readonly limit?: number;
    /** The step is tried by itself on these; without them what comes before it runs as well. */
    readonly records?: readonly unknown[];
    /** Where these have come there by the steps before it: the definition of then. */
    readonly cameBy?: Definition;
}

/** What was tried, with what came of it. */
export interface Tried {
    readonly request: TrialRequest;
    readonly test: StepTest;
}

/** Steps tried on sample records, and what is known of the records since. */
export interface Trial {
    readonly isTrying: boolean;
    readonly error: Error | null;
    /** The latest trial of a step. */
    triedOf(stepKey: string): Tried | undefined;
    run(request: TrialRequest): void;
    /** What is known of the records that come to a step: from its own trial, or from one of a step that leads to it. */
    pathsInto(stepKey: string, definition: Definition): readonly SamplePath[];
}

/** Tries steps, and remembers for this visit what came of it. */
export function useTrial(pipelineId: string): Trial {
    const [all, setAll] = useState<ReadonlyMap<string, Tried>>(new Map());
    const { mutate, isPending, error } = useMutation({
        mutationFn: async (request: TrialRequest): Promise<Tried> => {
            const { stepKey, limit, records, files = {} } = request;
            const definition = withFiles(request.definition, files);
            const input = { definition, stepKey, limit, records: records && [...records], pipelineId };
            return { request, test: (await api.mutate(stepTestDocument, { input })).testFlowStep };
        },
        onSuccess: tried => setAll(old => new Map([...old, [tried.request.stepKey, tried]])),
    });
    const pathsInto = useCallback(
        (stepKey: string, definition: Definition): readonly SamplePath[] => {
            const { in: own = [], operators = [] } = all.get(stepKey)?.test ?? {};
            if (own.length > 0)
                return pathsWithin(
                    own,
                    operators.flatMap(({ after }) => after),
                );
            const before = edgesOf(definition).filter(({ to }) => to === stepKey);
            return samplePaths(before.flatMap(({ from }) => all.get(from)?.test.out ?? []));
        },
        [all],
    );
    const run = useCallback((request: TrialRequest): void => mutate(request), [mutate]);
    const triedOf = useCallback((stepKey: string): Tried | undefined => all.get(stepKey), [all]);
    return useMemo(
        () => ({ isTrying: isPending, error, run, triedOf, pathsInto }),
        [isPending, error, run, triedOf, pathsInto],
    );
}
