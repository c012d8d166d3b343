import { Trans, useLingui } from '@lingui/react/macro';
import { Field, FieldLabel, NativeSelect, NativeSelectOption } from '@vendure/dashboard';
import { type ReactNode, useMemo } from 'react';
import { IssueLines } from '../../../form/issue-lines';
import { isRecord, type JsonSchema } from '../../../form/json-schema';
import { SchemaForm } from '../../../form/schema-form';
import { findAdapter, formOf, kindOfStep, type StepAdapters, usualConfig } from '../catalogue/catalogue';
import type { Definition, Step } from '../model/definition';
import { setConfig } from '../model/edits';
import { useEditor } from '../state/editor-context';
import { issuesBelow, type PlacedIssue } from '../state/issues';
import { LiveTrial } from '../try/live-trial';
import { CallList } from './call-list';
import { SamplePathsProvider } from './sample-paths-context';
import { TargetPathsProvider } from './target-paths';
import { TriggerPreview } from './trigger-preview';
import { useSourcePaths } from './use-source-paths';
import { editorWidgets } from './widgets';

interface StepSettingsProps {
    readonly step: Step;
    /** From the beginning of its configuration. */
    readonly issues: readonly PlacedIssue[];
}

/** What a step is set to: the form of its adapter, the calls that it makes, or its own fields. */
export function StepSettings({ step, issues }: StepSettingsProps): ReactNode {
    const { drawing, catalogue, trial, isReadOnly } = useEditor();
    const kind = kindOfStep(catalogue, step);
    const tried = useMemo(() => trial.pathsInto(step.key, drawing.definition), [trial, step.key, drawing.definition]);
    const columns = useSourcePaths(step, tried.length === 0);
    const paths = tried.length === 0 ? columns : tried;
    const set = (config: unknown): void =>
        drawing.edit(old => setConfig(old, step.key, config), { joins: `${step.key} config` });
    const adapters = kind?.adapters;
    if (!kind)
        return (
            <p className="text-sm text-muted-foreground">
                <Trans>
                    This server does not know this kind of step. The step is kept unchanged and can be edited as text.
                </Trans>
            </p>
        );
    const own = ownSchema(formOf(kind.schema), adapters);
    return (
        <SamplePathsProvider value={paths}>
            <TargetPathsProvider step={step}>
                {kind.behind === 'NOTHING' && <TriggerPreview step={step} />}
                {adapters && adapters.list === null ? (
                    <OneAdapter step={step} adapters={adapters} issues={issues} onChange={set} />
                ) : (
                    Object.keys(own.properties ?? {}).length > 0 && (
                        <SchemaForm
                            schema={own}
                            value={step.config}
                            onChange={set}
                            showFaults
                            isReadOnly={isReadOnly}
                            issues={issues.filter(({ path }) => path.split('.')[0] !== adapters?.list)}
                            widgets={editorWidgets}
                        />
                    )
                )}
                {adapters && adapters.list !== null && (
                    <>
                        <IssueLines issues={issues.filter(({ path }) => path === adapters.list)} />
                        {adapters.kind === 'OPERATOR' && <LiveTrial step={step} />}
                        <CallList
                            adapters={adapters}
                            calls={step.config[adapters.list]}
                            issues={issuesBelow(issues, adapters.list)}
                            stepKey={step.key}
                            onChange={calls => set({ ...step.config, [adapters.list!]: calls })}
                        />
                    </>
                )}
            </TargetPathsProvider>
        </SamplePathsProvider>
    );
}

/** The list of calls has its own editor. */
function ownSchema(schema: JsonSchema, adapters: StepAdapters | null | undefined): JsonSchema {
    if (!adapters || adapters.list === null || !schema.properties) return schema;
    const { [adapters.list]: _list, ...properties } = schema.properties;
    return { ...schema, properties };
}

interface OneAdapterProps extends StepSettingsProps {
    readonly adapters: StepAdapters;
    readonly onChange: (config: Definition) => void;
}

/** The choice of the adapter and its form. The adapter's fields are siblings of its code. */
function OneAdapter({ step, adapters, issues, onChange }: OneAdapterProps): ReactNode {
    const { t } = useLingui();
    const { catalogue, isReadOnly } = useEditor();
    const { kind, field } = adapters;
    const { [field]: code, ...rest } = step.config;
    const adapter = findAdapter(catalogue, kind, code);
    const choices = catalogue.adapters.filter(one => one.kind === kind);
    const isOfCode = ({ path }: PlacedIssue): boolean => path === field || !adapter;
    return (
        <>
            <Field>
                <FieldLabel htmlFor="flow-step-adapter">
                    <Trans context="flow step">Type</Trans>
                </FieldLabel>
                <NativeSelect
                    id="flow-step-adapter"
                    className="w-full"
                    value={adapter?.code ?? String(code ?? '')}
                    disabled={isReadOnly}
                    onChange={({ target }) => {
                        const other = findAdapter(catalogue, kind, target.value);
                        onChange({
                            [field]: target.value,
                            ...usualConfig(formOf(other?.schema)),
                            ...commonOf(rest, other?.schema),
                        });
                    }}
                >
                    {!adapter && (
                        <NativeSelectOption value={String(code ?? '')}>
                            {code === undefined ? t`Choose …` : String(code)}
                        </NativeSelectOption>
                    )}
                    {choices.map(one => (
                        <NativeSelectOption key={one.code} value={one.code}>
                            {one.title}
                        </NativeSelectOption>
                    ))}
                </NativeSelect>
                <IssueLines issues={issues.filter(isOfCode)} />
            </Field>
            {adapter && (
                <SchemaForm
                    key={adapter.code}
                    schema={formOf(adapter.schema)}
                    value={rest}
                    showFaults
                    isReadOnly={isReadOnly}
                    issues={issues.filter(issue => !isOfCode(issue))}
                    widgets={editorWidgets}
                    onChange={changed =>
                        onChange({ ...(code !== undefined && { [field]: code }), ...asObject(changed) })
                    }
                />
            )}
        </>
    );
}

/** What two adapters call the same, such as the file of a source, stays when another one is chosen. */
function commonOf(config: Definition, schema: unknown): Definition {
    const known = formOf(schema).properties ?? {};
    return Object.fromEntries(Object.entries(config).filter(([key]) => Object.hasOwn(known, key)));
}

function asObject(value: unknown): Definition {
    return isRecord(value) ? value : {};
}
