import { useLingui } from '@lingui/react/macro';
import { lazy, type ReactNode, Suspense } from 'react';
import { type EditorProps, useSchemaForm } from '../../../form/form-context';
import { type CodeName, fieldsOf, isRecord, type JsonSchema, resolved } from '../../../form/json-schema';
import { isShown, textValue } from '../../../form/values';
import { Loading } from '../../../parts/loading';
import { namesOf, valueAt } from '../../../parts/record-fields';
import { useSamplePaths } from './sample-paths-context';

const ScriptEditor = lazy(() => import('../text/script-editor'));

/** JavaScript of a definition, with what it finds by name offered while it is typed: what the server says there is, and what sample records have. */
export function CodeInput(props: EditorProps<string>): ReactNode {
    const { id, schema, value, isRequired, path, onChange } = props;
    const { t } = useLingui();
    const { root, draft, issues, isReadOnly } = useSchemaForm();
    const paths = useSamplePaths();
    const problem = issues.find(issue => issue.path === path)?.message;
    return (
        <Suspense fallback={<Loading className="h-40" />}>
            <ScriptEditor
                id={id}
                label={schema.title ?? t`Code`}
                value={value ?? ''}
                isReadOnly={isReadOnly}
                isInvalid={props.isInvalid}
                describedBy={props.describedBy}
                problem={problem}
                known={{
                    names: namesIn(schema, besides(path, root, draft)),
                    globals: schema.globals ?? [],
                    paths: paths.map(one => ({ ...one, names: namesOf(one.path) })),
                }}
                onChange={text => onChange(textValue(text, schema, isRequired))}
            />
        </Suspense>
    );
}

interface Besides {
    readonly schema: JsonSchema;
    readonly root: JsonSchema;
    readonly values: Readonly<Record<string, unknown>>;
}

/** The object that contains the field at a path. */
function besides(path: string, root: JsonSchema, draft: unknown): Besides {
    const names = path.split('.').slice(0, -1);
    const schema = names.reduce((holder, name) => {
        const inner = holder.items ?? holder.properties?.[name] ?? {};
        return resolved(inner, root);
    }, root);
    const values = names.length === 0 ? draft : valueAt(draft, names.join('.'));
    return { schema, root, values: isRecord(values) ? values : {} };
}

function namesIn({ scopes = [] }: JsonSchema, { schema, root, values }: Besides): readonly CodeName[] {
    const siblings = fieldsOf(schema, root);
    const holds = (showIf: JsonSchema['showIf']): boolean =>
        isShown({ key: '', schema: showIf ? { showIf } : {}, isRequired: false }, siblings, values);
    return scopes.find(({ showIf }) => holds(showIf))?.names ?? [];
}
