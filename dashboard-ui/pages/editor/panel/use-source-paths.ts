import { api, usePermissions, useQuery } from '@vendure/dashboard';
import { formOf, adapterOf, type Catalogue } from '../catalogue/catalogue';
import { stepTestDocument } from '../editor.graphql';
import { type Definition, edgesOf, type Step, stepOf } from '../model/definition';
import { useEditor } from '../state/editor-context';
import { countOf, stepKeyOf } from '../state/issues';
import { type SamplePath, samplePaths } from '../state/sample-paths';

const NEEDED = ['UpdateFlowPipeline', 'RunFlowPipeline', 'ReadFlowRecord', 'ReadFlowFiles'] as const;
const ROWS = 10;
const NONE: readonly SamplePath[] = [];

/**
 * The columns of the file that the step directly before this one reads, so that they are offered before anything was tried. Only uploaded files and texts
 * in the step are read: looking at a form sends nothing to other systems.
 */
export function useSourcePaths(step: Step, isWanted: boolean): readonly SamplePath[] {
    const { catalogue, drawing, checks, pipeline, isReadOnly } = useEditor();
    const { hasPermissions } = usePermissions();
    const { definition } = drawing;
    const source = fileSourceBefore(catalogue, definition, step.key);
    const isSound =
        source !== undefined &&
        checks.isCurrent &&
        countOf(checks.issues.filter(issue => stepKeyOf(issue, definition) === source.key)).errors === 0;
    const { data } = useQuery({
        queryKey: ['flow', 'source-paths', pipeline.id, source?.key, JSON.stringify(source?.config)],
        queryFn: async () => {
            const of = { definition, stepKey: source!.key, pipelineId: pipeline.id };
            const { testFlowStep } = await api.mutate(stepTestDocument, {
                input: { ...of, limit: ROWS, records: undefined },
            });
            return samplePaths(testFlowStep.out);
        },
        enabled: isWanted && isSound && !isReadOnly && NEEDED.every(permission => hasPermissions([permission])),
        staleTime: Infinity,
        retry: false,
    });
    return data ?? NONE;
}

/** The only step before a step, if it reads uploaded files. */
function fileSourceBefore(catalogue: Catalogue, definition: Definition, key: string): Step | undefined {
    const before = edgesOf(definition).filter(({ to }) => to === key);
    const source = before.length === 1 ? stepOf(definition, before[0]!.from) : undefined;
    const adapter = source && adapterOf(catalogue, source);
    const fields = Object.values(formOf(adapter?.schema).properties ?? {});
    return adapter?.kind === 'EXTRACTOR' && fields.some(({ widget }) => widget === 'file') ? source : undefined;
}
