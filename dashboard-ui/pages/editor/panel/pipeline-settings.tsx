import { Trans } from '@lingui/react/macro';
import type { ReactNode } from 'react';
import { IssueLines } from '../../../form/issue-lines';
import { isRecord } from '../../../form/json-schema';
import { SchemaForm } from '../../../form/schema-form';
import { formOf } from '../catalogue/catalogue';
import type { Definition } from '../model/definition';
import { useEditor } from '../state/editor-context';
import { issuesBelow, issuesOfPipeline, type PlacedIssue } from '../state/issues';
import { HookSettings } from './hook-settings';

/** What holds for all of the pipeline: how fast, what is tried again, what it may do. */
export function PipelineSettings(): ReactNode {
    const { drawing, format, checks, isReadOnly } = useEditor();
    const { definition } = drawing;
    const settings = isRecord(format.settings) ? format.settings : {};
    const issues = issuesOfPipeline(checks.issues, definition);
    const isOfSetting = ({ path }: PlacedIssue): boolean => Object.hasOwn(settings, path.split('.')[0]!);
    const isOfHook = ({ path }: PlacedIssue): boolean => path.startsWith('hooks.');
    const set = (name: string, value: unknown): void =>
        drawing.edit(old => withSetting(old, name, value), { joins: `setting ${name}` });
    return (
        <div className="space-y-3">
            <IssueLines issues={issues.filter(issue => !isOfSetting(issue) && !isOfHook(issue))} />
            {Object.entries(settings).map(([name, schema]) => (
                <details key={name} className="rounded-md border">
                    <summary className="flex min-h-9 cursor-pointer items-center px-3 text-sm font-medium">
                        <SettingName name={name} />
                    </summary>
                    <div className="p-3">
                        <IssueLines issues={issues.filter(({ path }) => path === name)} />
                        <SchemaForm
                            schema={formOf(schema)}
                            value={definition[name] ?? {}}
                            onChange={value => set(name, value)}
                            showFaults
                            isReadOnly={isReadOnly}
                            issues={issuesBelow(issues, name)}
                        />
                    </div>
                </details>
            ))}
            <HookSettings issues={issuesBelow(issues, 'hooks')} />
        </div>
    );
}

function SettingName({ name }: { readonly name: string }): ReactNode {
    switch (name) {
        case 'capabilities':
            return <Trans>Permissions</Trans>;
        case 'throughput':
            return <Trans>Performance</Trans>;
        case 'errorHandling':
            return <Trans>Error handling</Trans>;
        default:
            return name;
    }
}

/** A setting that says nothing goes, so that a look into the form changes nothing. */
function withSetting(definition: Definition, name: string, value: unknown): Definition {
    if (isRecord(value) && Object.keys(value).length === 0) {
        const { [name]: gone, ...rest } = definition;
        return gone === undefined ? definition : rest;
    }
    return { ...definition, [name]: value };
}
