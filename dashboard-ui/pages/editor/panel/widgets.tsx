import { useLingui } from '@lingui/react/macro';
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
import { MappingInput } from './mapping-input';
import { PathInput } from './path-input';

const filesDocument = graphql(`
    query FlowEditorFiles($options: FlowFileListOptions) {
        flowFiles(options: $options) {
            items {
                id
                path
                filename
                format
            }
        }
    }
`);

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

/** An uploaded file, by its id, of a format that fits. */
function FileInput(props: EditorProps): ReactNode {
    const { t } = useLingui();
    const { data } = useQuery({
        queryKey: ['flow', 'editor-files'],
        queryFn: () => api.query(filesDocument, { options: { take: 200, sort: { createdAt: 'DESC' } } }),
        retry: false,
    });
    const formats = props.schema.fileFormats;
    const files = (data?.flowFiles.items ?? [])
        .filter(({ format }) => formats?.includes(format) ?? true)
        // The API may write ids its own way; definitions name files as their addresses do.
        .map(({ path, filename }) => ({ id: path.slice(path.lastIndexOf('/') + 1), filename }));
    const name = files.find(({ id }) => id === props.value)?.filename;
    return (
        <>
            <OfferedInput {...props} choices={files.map(({ id, filename }) => ({ value: id, about: filename }))} />
            {name !== undefined && (
                <p className="text-sm text-muted-foreground" aria-label={t`The chosen file`} translate="no">
                    {name}
                </p>
            )}
        </>
    );
}

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
