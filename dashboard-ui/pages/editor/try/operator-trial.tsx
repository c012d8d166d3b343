import { Trans } from '@lingui/react/macro';
import { CircleAlertIcon, TriangleAlertIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import { useErrorText } from '../../../i18n/use-server-texts';
import { cellText, fieldsOf, valueAt } from '../../../parts/record-fields';
import type { StepTest } from '../editor.graphql';
import { useEditor } from '../state/editor-context';
import { MoreOf } from './record-table';

interface OperatorTrialProps {
    readonly stepKey: string;
    /** Its place in the step, from 1. */
    readonly position: number;
}

const SHOWN = 3;

/** The result of an operator on the sample records: changed fields and rejected records. */
export function OperatorTrial({ stepKey, position }: OperatorTrialProps): ReactNode {
    const { trial } = useEditor();
    const operator = trial.triedOf(stepKey)?.test.operators.find(one => one.position === position);
    if (!operator) return null;
    const came = goneOn(operator);
    const changes = came
        .map((before, i) => ({ i, fields: changedFields(before, operator.after[i]) }))
        .filter(({ fields }) => fields.length > 0);
    const isOneToOne = came.length === operator.after.length;
    const [count, left] = [operator.before.length, operator.after.length];
    return (
        <section className="space-y-2 rounded-md bg-muted/50 p-2 text-sm">
            <h3 className="font-medium">
                <Trans>On the sample records</Trans>
            </h3>
            {isOneToOne && changes.length > 0 && (
                <table className="w-full table-fixed text-xs" translate="no">
                    <tbody>
                        {changes.slice(0, SHOWN).flatMap(({ i, fields }) =>
                            fields.map(({ path, before, after }) => (
                                <tr key={`${i} ${path}`} className="align-top">
                                    <th scope="row" className="truncate pr-2 text-left font-mono font-normal">
                                        {path}
                                    </th>
                                    <td className="pr-2 break-words text-muted-foreground">{before || '–'}</td>
                                    <td className="break-words">{after || '–'}</td>
                                </tr>
                            )),
                        )}
                    </tbody>
                </table>
            )}
            {isOneToOne && <MoreOf count={changes.length} shown={SHOWN} />}
            {isOneToOne && changes.length === 0 && operator.faults.length === 0 && (
                <p className="text-muted-foreground">
                    <Trans>This operator does not change any of them.</Trans>
                </p>
            )}
            {count !== left && (
                <p>
                    <Trans>
                        {count} in, {left} out
                    </Trans>
                </p>
            )}
            {operator.faults.slice(0, SHOWN).map(fault => (
                <Fault key={`${fault.seq} ${fault.message}`} fault={fault} />
            ))}
            <MoreOf count={operator.faults.length} shown={SHOWN} />
        </section>
    );
}

/** Why a record was rejected, or the warnings it passed with. */
function Fault({ fault }: { readonly fault: StepTest['operators'][number]['faults'][number] }): ReactNode {
    const textOf = useErrorText();
    const { severity } = fault;
    const number = fault.seq + 1;
    return (
        <p className="flex gap-1.5">
            {severity === 'ERROR' ? (
                <CircleAlertIcon aria-hidden className="mt-0.5 size-4 shrink-0 text-destructive" />
            ) : (
                <TriangleAlertIcon aria-hidden className="mt-0.5 size-4 shrink-0 text-warning" />
            )}
            <span className="min-w-0 wrap-anywhere">
                {severity === 'ERROR' ? <Trans>Record {number} rejected:</Trans> : <Trans>Record {number}:</Trans>}{' '}
                {textOf(fault)}
            </span>
        </p>
    );
}

/** The input records, without the rejected ones if these can be identified. */
function goneOn({ before, after, faults }: StepTest['operators'][number]): readonly unknown[] {
    const refused = new Set(faults.filter(({ severity }) => severity === 'ERROR').map(({ seq }) => seq));
    const rest = before.filter((_, i) => !refused.has(i));
    return rest.length === after.length ? rest : before;
}

interface ChangedField {
    readonly path: string;
    readonly before: string;
    readonly after: string;
}

/** The fields in which two states of a record differ. */
function changedFields(before: unknown, after: unknown): readonly ChangedField[] {
    const paths = [...new Set([...fieldsOf(before), ...fieldsOf(after)].map(({ path }) => path))];
    return paths.flatMap(path => {
        const [was, is] = [valueAt(before, path), valueAt(after, path)];
        const isSame = JSON.stringify(was) === JSON.stringify(is);
        return isSame ? [] : [{ path, before: typed(was), after: typed(is) }];
    });
}

/** Text in quotes, so that "19" and 19 look different. */
function typed(value: unknown): string {
    return typeof value === 'string' ? JSON.stringify(value) : cellText(value);
}
