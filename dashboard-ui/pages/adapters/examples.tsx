import { plural } from '@lingui/core/macro';
import { Trans, useLingui } from '@lingui/react/macro';
import { Button } from '@vendure/dashboard';
import { type ReactNode, useState } from 'react';
import { isRecord } from '../../form/json-schema';
import { WithCode } from '../../parts/with-code';

/** The number of examples that are shown before the user requests the others. */
const SHOWN = 2;

/** How an adapter is used: its settings, what comes in and what comes out. */
export function Examples({ examples }: { readonly examples: readonly unknown[] }): ReactNode {
    const { t } = useLingui();
    const [areAllShown, setAllShown] = useState(false);
    const more = examples.length - SHOWN;
    return (
        <section className="space-y-3">
            <h3 className="font-medium">
                <Trans context="adapter">Examples</Trans>
            </h3>
            {examples.slice(0, areAllShown ? undefined : SHOWN).map((example, i) => (
                <Example key={i} example={example} />
            ))}
            {more > 0 && !areAllShown && (
                <Button variant="outline" size="sm" onClick={() => setAllShown(true)}>
                    {t`${plural(more, { one: 'Show # more example', other: 'Show # more examples' })}`}
                </Button>
            )}
        </section>
    );
}

function Example({ example }: { readonly example: unknown }): ReactNode {
    if (!isRecord(example)) return <Code value={example} />;
    const { note, ...parts } = example;
    return (
        <div className="space-y-2 rounded-md border p-3">
            {typeof note === 'string' && (
                <p className="text-sm">
                    <WithCode text={note} />
                </p>
            )}
            <dl className="grid gap-3 lg:grid-cols-2">
                {Object.entries(parts).map(([name, value]) => (
                    <div key={name} className="min-w-0">
                        <dt className="text-xs text-muted-foreground" translate="no">
                            {name}
                        </dt>
                        <dd>
                            <Code value={value} />
                        </dd>
                    </div>
                ))}
            </dl>
        </div>
    );
}

function Code({ value }: { readonly value: unknown }): ReactNode {
    return (
        <pre translate="no" tabIndex={0} className="max-h-64 overflow-auto rounded-sm bg-muted p-2 text-xs">
            {typeof value === 'string' ? value : JSON.stringify(value, null, 2)}
        </pre>
    );
}
