import { api, useQuery } from '@vendure/dashboard';
import type { ComponentType, ReactNode } from 'react';
import { type EditorProps, useSchemaForm, type Widgets } from '../../../form/form-context';
import { OfferedInput } from '../../../form/offered-input';
import { graphql } from '../../../gql/graphql';
import { useEditor } from '../state/editor-context';
import { issuesBelow } from '../state/issues';
import { CallList } from './call-list';
import { CodeInput } from './code-input';
import { resourcesMadeHere } from './resources-made-here';
import { ConditionsInput } from './conditions-input';
import { FileInput } from './file-input';
import { MappingInput } from './mapping-input';
import { PathInput } from './path-input';

const codesDocument = graphql(`
    query FlowEditorPipelineCodes($options: FlowPipelineListOptions) {
        flowPipelines(options: $options) {
            items {
                id
                code
                name
            }
        }
    }
`);

/** Another pipeline, by its code. */
function PipelineInput(props: EditorProps): ReactNode {
    const { data } = useQuery({
        queryKey: ['flow', 'editor-pipelines'],
        queryFn: () => api.query(codesDocument, { options: { take: 200, sort: { code: 'ASC' } } }),
        retry: false,
    });
    const choices = (data?.flowPipelines.items ?? []).map(({ code, name }) => ({ value: code, about: name }));
    return <OfferedInput {...props} choices={choices} />;
}

/** Operators within the settings of another one. */
function OperatorsInput({ value, onChange, path }: EditorProps): ReactNode {
    const { catalogue } = useEditor();
    const { issues } = useSchemaForm();
    const adapters = catalogue.kinds.find(kind => kind.adapters?.kind === 'OPERATOR')?.adapters;
    if (!adapters) return null;
    return (
        <CallList
            adapters={adapters}
            calls={value}
            issues={issuesBelow(issues, path)}
            onChange={calls => onChange(calls)}
        />
    );
}

/** Editors for what the steps of pipelines are set to. */
export const editorWidgets: Widgets = {
    ...resourcesMadeHere,
    code: CodeInput as ComponentType<EditorProps>,
    path: PathInput,
    mapping: MappingInput,
    conditions: ConditionsInput,
    operators: OperatorsInput,
    file: FileInput,
    pipeline: PipelineInput,
};
