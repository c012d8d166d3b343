import { Trans } from '@lingui/react/macro';
import { Button } from '@vendure/dashboard';
import type { ReactNode } from 'react';
import { isRecord } from '../../../form/json-schema';
import { WithCode } from '../../../parts/with-code';
import { adapterOf, kindOfStep } from '../catalogue/catalogue';
import type { Step } from '../model/definition';
import { setConfig } from '../model/edits';
import { useEditor } from '../state/editor-context';

/** What its maker says about a step, with examples that can be taken as they are. */
export function AdapterNotes({ step }: { readonly step: Step }): ReactNode {
    const { catalogue, drawing, isReadOnly } = useEditor();
    const kind = kindOfStep(catalogue, step);
    const adapter = adapterOf(catalogue, step);
    const notes = adapter?.notes ?? (kind?.remarks ? [kind.remarks] : []);
    const field = kind?.adapters?.field;
    const examples = (adapter?.examples ?? []).flatMap(example =>
        isRecord(example) && isRecord(example['config'])
            ? [{ config: example['config'], note: typeof example['note'] === 'string' ? example['note'] : '' }]
            : [],
    );
    return (
        <div className="space-y-4">
            {notes.length > 0 && (
                <ul className="list-disc space-y-1 pl-5 text-sm">
                    {notes.map(note => (
                        <li key={note}>
                            <WithCode text={note} />
                        </li>
                    ))}
                </ul>
            )}
            {examples.length > 0 && field !== undefined && (
                <section className="space-y-2">
                    <h3 className="text-sm font-medium">
                        <Trans context="adapter">Examples</Trans>
                    </h3>
                    {examples.map(({ config, note }, i) => (
                        <div key={i} className="space-y-2 rounded-md border p-2">
                            {note !== '' && (
                                <p className="text-sm">
                                    <WithCode text={note} />
                                </p>
                            )}
                            <pre
                                translate="no"
                                tabIndex={0}
                                className="max-h-48 overflow-auto rounded-sm bg-muted p-2 text-xs"
                            >
                                {JSON.stringify(config, null, 2)}
                            </pre>
                            {!isReadOnly && (
                                <Button
                                    size="sm"
                                    variant="outline"
                                    onClick={() =>
                                        drawing.edit(old =>
                                            setConfig(old, step.key, { [field]: step.config[field], ...config }),
                                        )
                                    }
                                >
                                    <Trans>Save</Trans>
                                </Button>
                            )}
                        </div>
                    ))}
                </section>
            )}
        </div>
    );
}
