import { api, keepPreviousData, useQuery } from '@vendure/dashboard';
import { createContext, type ReactNode, useContext, useMemo } from 'react';
import { graphql } from '../../../gql/graphql';
import { findAdapter, kindOfStep } from '../catalogue/catalogue';
import type { Step } from '../model/definition';
import { followingSteps } from '../model/following-steps';
import { useEditor } from '../state/editor-context';

const loaderFieldsDocument = graphql(`
    query FlowEditorLoaderFields($adapterCode: String!, $config: FlowJSON) {
        flowLoaderFields(adapterCode: $adapterCode, config: $config)
    }
`);

/** A path that a load step reads. */
export interface TargetPath {
    readonly path: string;
    /** What the load step is called. */
    readonly about: string;
}

const NONE: readonly TargetPath[] = [];
const Paths = createContext<readonly TargetPath[]>(NONE);

/** The paths that the load steps after the step that is being set read from its records. */
export function useTargetPaths(): readonly TargetPath[] {
    return useContext(Paths);
}

/** Offers fields in it the paths that the load steps after this step read. */
export function TargetPathsProvider({
    step,
    children,
}: {
    readonly step: Step;
    readonly children: ReactNode;
}): ReactNode {
    const { catalogue, drawing } = useEditor();
    const { definition } = drawing;
    const loads = useMemo(() => {
        const kind = catalogue.kinds.find(one => one.adapters?.kind === 'LOADER')?.kind;
        return kind === undefined || kind === step.kind ? [] : followingSteps(definition, step.key, kind);
    }, [catalogue, definition, step.key, step.kind]);
    const key = JSON.stringify(loads.map(({ config }) => config));
    const { data = NONE } = useQuery({
        queryKey: ['flow', 'loader-fields', key],
        queryFn: async () => {
            const found = await Promise.all(
                loads.map(async load => {
                    const field = kindOfStep(catalogue, load)?.adapters?.field ?? '';
                    const { [field]: code, ...config } = load.config;
                    const adapter = findAdapter(catalogue, 'LOADER', code);
                    if (!adapter) return [];
                    const fields = await api.query(loaderFieldsDocument, { adapterCode: adapter.code, config });
                    return fields.flowLoaderFields.map(path => ({ path, about: adapter.title }));
                }),
            );
            return distinct(found.flat());
        },
        enabled: loads.length > 0,
        placeholderData: keepPreviousData,
        staleTime: Infinity,
        retry: false,
    });
    return <Paths.Provider value={loads.length > 0 ? data : NONE}>{children}</Paths.Provider>;
}

function distinct(paths: readonly TargetPath[]): readonly TargetPath[] {
    return [...new Map([...paths].reverse().map(one => [one.path, one])).values()].reverse();
}
