import { plural } from '@lingui/core/macro';
import { Trans, useLingui } from '@lingui/react/macro';
import type { ReactNode } from 'react';
import { useErrorText, useLineText } from '../../../i18n/use-server-texts';
import { BeforeAfter } from '../../../parts/before-after';
import { ActionBadge } from '../../run/differences-tab';
import type { StepTest } from '../editor.graphql';
import { MoreOf, RecordTable } from './record-table';
import { TrialRemarks } from './trial-remarks';

const SHOWN = 5;

interface TestResultProps {
    readonly test: StepTest;
    /** The step has no input; it shows what it finds. */
    readonly isFirst: boolean;
}

/** The result of a step test: counts, output records, rejected records with reasons, and planned changes. */
export function TestResult({ test, isFirst }: TestResultProps): ReactNode {
    const { t } = useLingui();
    const textOf = useLineText();
    const messageOf = useErrorText();
    const said = test.log.filter(({ level }) => level !== 'WARN' && level !== 'ERROR');
    const { counters, rejected, changes, branches } = test;
    return (
        <div className="space-y-4">
            <p className="text-sm tabular-nums">
                {isFirst ? (
                    t`${plural(counters.out, { one: '# entry found', other: '# entries found' })}`
                ) : test.kind === 'EXTRACT' ? (
                    t`${plural(counters.out, { one: '# record read', other: '# records read' })}`
                ) : (
                    <Trans>
                        {counters.in} in, {counters.out} out, {counters.rejected} rejected
                    </Trans>
                )}
                {counters.filtered > 0 && <Trans>, {counters.filtered} filtered</Trans>}
                {counters.unchanged > 0 && <Trans>, {counters.unchanged} unchanged</Trans>}
            </p>
            <TrialRemarks test={test} />
            {changes.length > 0 && (
                <Part title={<Trans>Would be written</Trans>}>
                    {changes.slice(0, SHOWN).map(({ action, key, before, after }, i) => (
                        <details key={i} className="rounded-md border p-2">
                            <summary className="cursor-pointer text-sm">
                                <ActionBadge action={action} /> <span translate="no">{key}</span>
                            </summary>
                            <BeforeAfter before={before} after={after} />
                        </details>
                    ))}
                    <MoreOf count={changes.length} shown={SHOWN} />
                </Part>
            )}
            {branches.length > 0
                ? branches.map(({ name, records }) => (
                      <Part
                          key={name}
                          title={
                              <>
                                  <code translate="no">{name}</code> ({records.length})
                              </>
                          }
                      >
                          <RecordTable records={records} />
                      </Part>
                  ))
                : changes.length === 0 && (
                      <Part title={isFirst ? <Trans>Current matches</Trans> : <Trans>Output</Trans>}>
                          <RecordTable records={test.out} />
                      </Part>
                  )}
            {rejected.length > 0 && (
                <Part title={<Trans>Rejected</Trans>}>
                    <ul className="space-y-2 text-sm">
                        {rejected.slice(0, SHOWN).map(one => (
                            <li key={`${one.stepKey} ${one.seq} ${one.message}`} className="rounded-md border p-2">
                                <p>
                                    <code translate="no">{one.stepKey}</code> {messageOf(one)}
                                </p>
                                <pre
                                    tabIndex={0}
                                    translate="no"
                                    className="max-h-24 overflow-auto text-xs text-muted-foreground"
                                >
                                    {JSON.stringify(one.record)}
                                </pre>
                            </li>
                        ))}
                    </ul>
                    <MoreOf count={rejected.length} shown={SHOWN} />
                </Part>
            )}
            {said.length > 0 && (
                <Part title={<Trans context="flow">Log</Trans>}>
                    <ul className="text-sm">
                        {said.slice(0, 10).map((line, i) => (
                            <li key={i}>
                                <code translate="no">{line.level}</code> {textOf(line)}
                            </li>
                        ))}
                    </ul>
                </Part>
            )}
        </div>
    );
}

function Part({ title, children }: { readonly title: ReactNode; readonly children: ReactNode }): ReactNode {
    return (
        <section className="space-y-2">
            <h3 className="text-sm font-medium">{title}</h3>
            {children}
        </section>
    );
}
