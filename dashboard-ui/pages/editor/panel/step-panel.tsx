import { Trans, useLingui } from '@lingui/react/macro';
import {
    Field,
    FieldDescription,
    FieldLabel,
    Input,
    Switch,
    Tabs,
    TabsContent,
    TabsList,
    TabsTrigger,
} from '@vendure/dashboard';
import { type ReactNode, useEffect, useState } from 'react';
import { IssueLines } from '../../../form/issue-lines';
import { SchemaForm } from '../../../form/schema-form';
import { WithCode } from '../../../parts/with-code';
import { adapterOf, canBeTried, formOf, kindOfStep } from '../catalogue/catalogue';
import { KindIcon } from '../catalogue/kind-icon';
import { useKindWords } from '../../../parts/kind-words';
import { type Step, titleOf } from '../model/definition';
import { changeStep, renameStep } from '../model/edits';
import { useEditor } from '../state/editor-context';
import { issuesBelow, issuesOfStep, type PlacedIssue } from '../state/issues';
import { TryPanel } from '../try/try-panel';
import { Neighbours } from './neighbours';
import { StepSettings } from './step-settings';
import { AdapterNotes } from './adapter-notes';

/** A step: what it is set to, what becomes of records in it, where they go. */
export function StepPanel({ step }: { readonly step: Step }): ReactNode {
    const { catalogue, drawing, checks } = useEditor();
    const wordOf = useKindWords();
    const kind = kindOfStep(catalogue, step);
    const adapter = adapterOf(catalogue, step);
    const issues = issuesOfStep(checks.issues, drawing.definition, step.key);
    const ofStep = issues.filter(({ path }) => !path.startsWith('config.') && !path.startsWith('retry.'));
    const [tab, setTab] = useState('settings');
    const sought = issues.find(({ reached }) => reached !== undefined)?.path;
    useEffect(() => {
        if (sought !== undefined) setTab(tabOf(sought));
    }, [sought]);
    return (
        <div className="space-y-4">
            <header className="space-y-1">
                <p className="flex items-center gap-2 text-sm text-muted-foreground">
                    <KindIcon kind={step.kind} className="size-4" />
                    {adapter ? `${wordOf(step.kind)} · ${adapter.title}` : wordOf(step.kind)}
                </p>
                <h2 className="truncate text-lg font-semibold" translate="no">
                    {titleOf(step)}
                </h2>
                <p className="text-sm text-muted-foreground">
                    <WithCode text={adapter?.summary ?? kind?.summary ?? ''} />
                </p>
            </header>
            <IssueLines issues={ofStep} />
            <Tabs value={tab} onValueChange={chosen => setTab(String(chosen))}>
                <TabsList>
                    <TabsTrigger value="settings">
                        <Trans context="flow step">Settings</Trans>
                    </TabsTrigger>
                    <TabsTrigger value="way">
                        <Trans context="flow step">Connections</Trans>
                    </TabsTrigger>
                    {canBeTried(catalogue, step) && (
                        <TabsTrigger value="try">
                            <Trans context="flow step">Try</Trans>
                        </TabsTrigger>
                    )}
                    <TabsTrigger value="about">
                        <Trans context="flow step">About</Trans>
                    </TabsTrigger>
                </TabsList>
                <TabsContent value="settings" className="space-y-4 pt-2">
                    <StepSettings step={step} issues={issuesBelow(issues, 'config')} />
                </TabsContent>
                <TabsContent value="way" className="pt-2">
                    <Neighbours step={step} />
                </TabsContent>
                <TabsContent value="try" className="pt-2">
                    <TryPanel step={step} />
                </TabsContent>
                <TabsContent value="about" className="space-y-4 pt-2">
                    <Frame step={step} issues={issuesBelow(issues, 'retry')} />
                    <AdapterNotes step={step} />
                </TabsContent>
            </Tabs>
        </div>
    );
}

/** Where something is put right: by its path within the step; what is about the step as a whole is about its place among the others. */
function tabOf(path: string): string {
    if (path === 'config' || path.startsWith('config.')) return 'settings';
    return path === '' ? 'way' : 'about';
}

interface FrameProps {
    readonly step: Step;
    /** Of what is tried again. */
    readonly issues: readonly PlacedIssue[];
}

/** What every step has, whatever it does. */
function Frame({ step, issues }: FrameProps): ReactNode {
    const { t } = useLingui();
    const { drawing, format, isReadOnly } = useEditor();
    const [key, setKey] = useState(step.key);
    const set = (changes: Readonly<Record<string, unknown>>, joins: string): void =>
        drawing.edit(old => changeStep(old, step.key, changes), { joins: `${step.key} ${joins}` });
    const rename = (): void => {
        const renamed = renameStep(drawing.definition, step.key, key.trim());
        if (renamed === drawing.definition) return setKey(step.key);
        return drawing.edit(() => renamed, { select: [key.trim()] });
    };
    return (
        <div className="space-y-4">
            <Field>
                <FieldLabel htmlFor="flow-step-name">
                    <Trans>Name</Trans>
                </FieldLabel>
                <Input
                    id="flow-step-name"
                    value={step.name ?? ''}
                    readOnly={isReadOnly}
                    placeholder={step.key}
                    onChange={({ target }) => set({ name: target.value === '' ? undefined : target.value }, 'name')}
                />
            </Field>
            <Field>
                <FieldLabel htmlFor="flow-step-key">
                    <Trans context="flow step">Key</Trans>
                </FieldLabel>
                <Input
                    id="flow-step-key"
                    translate="no"
                    value={key}
                    readOnly={isReadOnly}
                    onChange={({ target }) => setKey(target.value)}
                    onBlur={rename}
                    onKeyDown={event => event.key === 'Enter' && rename()}
                />
                <FieldDescription>
                    <Trans>
                        The key in edges, logs and reports. If you change it, the step loses its saved position.
                    </Trans>
                </FieldDescription>
            </Field>
            <Field>
                <div className="flex items-center justify-between gap-4">
                    <FieldLabel htmlFor="flow-step-disabled">
                        <Trans>Disabled</Trans>
                    </FieldLabel>
                    <Switch
                        id="flow-step-disabled"
                        checked={step.isDisabled}
                        disabled={isReadOnly}
                        onCheckedChange={isDisabled => set({ disabled: isDisabled ? true : undefined }, 'disabled')}
                    />
                </div>
                <FieldDescription>
                    <Trans>A disabled step passes records on unchanged. A disabled source reads nothing.</Trans>
                </FieldDescription>
            </Field>
            <details className="rounded-md border">
                <summary className="flex min-h-9 cursor-pointer items-center px-3 text-sm font-medium">
                    {t`Retries`}
                </summary>
                <div className="p-3">
                    <SchemaForm
                        schema={formOf(format.retry)}
                        value={step.raw['retry'] ?? {}}
                        showFaults
                        isReadOnly={isReadOnly}
                        issues={issues}
                        onChange={value =>
                            set({ retry: Object.keys(value as object).length === 0 ? undefined : value }, 'retry')
                        }
                    />
                </div>
            </details>
        </div>
    );
}
