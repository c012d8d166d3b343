import { plural } from '@lingui/core/macro';
import { Trans, useLingui } from '@lingui/react/macro';
import { NativeSelect, NativeSelectOption } from '@vendure/dashboard';
import { XIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import { IssueLines } from '../../../form/issue-lines';
import { isRecord, type JsonSchema } from '../../../form/json-schema';
import { SchemaForm } from '../../../form/schema-form';
import { IconButton } from '../../../ground/icon-button';
import { type Definition, isObject, listOf } from '../model/definition';
import { useEditor } from '../state/editor-context';
import { issuesBelow, type PlacedIssue } from '../state/issues';
import { editorWidgets } from './widgets';

interface HookSettingsProps {
    /** From the beginning of the hooks: `AFTER_LOAD.0.url`. */
    readonly issues: readonly PlacedIssue[];
}

/** What is done at certain moments of a run, by stage; the forms are those of the types of hooks. */
export function HookSettings({ issues }: HookSettingsProps): ReactNode {
    const { t } = useLingui();
    const { drawing, format, isReadOnly } = useEditor();
    const hooks = isObject(drawing.definition['hooks']) ? drawing.definition['hooks'] : {};
    const count = Object.values(hooks).reduce<number>((sum, list) => sum + listOf(list).length, 0);
    const schemas = isRecord(format.hooks) ? format.hooks : {};
    const set = (stage: string, list: readonly unknown[]): void =>
        drawing.edit(old => withHooks(old, stage, list), { joins: `hooks ${stage}` });
    const used = format.hookStages.filter(stage => listOf(hooks[stage]).length > 0);
    return (
        <details className="rounded-md border">
            <summary className="flex min-h-9 cursor-pointer items-center gap-2 px-3 text-sm font-medium">
                <Trans context="flow">Hooks</Trans>
                <span className="ml-auto text-xs font-normal text-muted-foreground">
                    {count > 0 && t`${plural(count, { one: '# hook', other: '# hooks' })}`}
                </span>
            </summary>
            <div className="space-y-4 p-3">
                <IssueLines issues={issues.filter(({ path }) => !used.some(stage => path.startsWith(`${stage}.`)))} />
                {used.map(stage => (
                    <Stage
                        key={stage}
                        stage={stage}
                        list={listOf(hooks[stage])}
                        schemas={schemas}
                        issues={issuesBelow(issues, stage)}
                        onChange={list => set(stage, list)}
                    />
                ))}
                {!isReadOnly && (
                    <NativeSelect
                        className="w-full"
                        aria-label={t`Add a hook at`}
                        value=""
                        onChange={({ target }) =>
                            set(target.value, [...listOf(hooks[target.value]), firstHook(schemas)])
                        }
                    >
                        <NativeSelectOption value="">{t`Add a hook at …`}</NativeSelectOption>
                        {format.hookStages.map(stage => (
                            <NativeSelectOption key={stage} value={stage}>
                                {stage}
                            </NativeSelectOption>
                        ))}
                    </NativeSelect>
                )}
            </div>
        </details>
    );
}

interface StageProps {
    readonly stage: string;
    readonly list: readonly unknown[];
    readonly schemas: Readonly<Record<string, unknown>>;
    readonly issues: readonly PlacedIssue[];
    readonly onChange: (list: readonly unknown[]) => void;
}

function Stage({ stage, list, schemas, issues, onChange }: StageProps): ReactNode {
    const { t } = useLingui();
    const { isReadOnly } = useEditor();
    return (
        <section className="space-y-2">
            <h3 className="text-sm font-medium" translate="no">
                {stage}
            </h3>
            {list.map((hook, i) => {
                const type = isObject(hook) ? String(hook['type'] ?? '') : '';
                const { type: _type, ...rest } = isObject(hook) ? hook : {};
                const ofHook = issuesBelow(issues, String(i));
                const isOfType = ({ path }: PlacedIssue): boolean => path === '' || path === 'type';
                const change = (changed: unknown): void => onChange(list.map((one, at) => (at === i ? changed : one)));
                return (
                    <div key={i} className="space-y-3 rounded-md border p-3">
                        <div className="flex gap-2">
                            <NativeSelect
                                className="grow"
                                aria-label={t`Type of the hook`}
                                value={type}
                                disabled={isReadOnly}
                                onChange={({ target }) => change({ type: target.value })}
                            >
                                {!Object.hasOwn(schemas, type) && (
                                    <NativeSelectOption value={type}>{type}</NativeSelectOption>
                                )}
                                {Object.keys(schemas).map(one => (
                                    <NativeSelectOption key={one} value={one}>
                                        {one}
                                    </NativeSelectOption>
                                ))}
                            </NativeSelect>
                            {!isReadOnly && (
                                <IconButton
                                    label={t`Remove the hook`}
                                    onPress={() => onChange(list.filter((_, at) => at !== i))}
                                >
                                    <XIcon />
                                </IconButton>
                            )}
                        </div>
                        <IssueLines issues={ofHook.filter(isOfType)} />
                        <SchemaForm
                            key={type}
                            schema={withoutType(schemas[type])}
                            value={rest}
                            showFaults
                            isReadOnly={isReadOnly}
                            issues={ofHook.filter(issue => !isOfType(issue))}
                            widgets={editorWidgets}
                            onChange={changed => change({ type, ...(changed as Definition) })}
                        />
                    </div>
                );
            })}
        </section>
    );
}

/** The type is chosen above the form. */
function withoutType(schema: unknown): JsonSchema {
    if (!isRecord(schema) || !isRecord(schema['properties'])) return {};
    const { type: _type, ...properties } = schema['properties'];
    return { ...schema, properties } as JsonSchema;
}

function firstHook(schemas: Readonly<Record<string, unknown>>): Definition {
    const plainest = Object.entries(schemas).sort(
        ([, a], [, b]) => JSON.stringify(a).length - JSON.stringify(b).length,
    )[0];
    return { type: plainest?.[0] ?? '' };
}

function withHooks(definition: Definition, stage: string, list: readonly unknown[]): Definition {
    const hooks = isObject(definition['hooks']) ? definition['hooks'] : {};
    const { [stage]: _old, ...others } = hooks;
    if (list.length > 0) return { ...definition, hooks: { ...hooks, [stage]: list } };
    if (Object.keys(others).length > 0) return { ...definition, hooks: others };
    const { hooks: _hooks, ...rest } = definition;
    return rest;
}
