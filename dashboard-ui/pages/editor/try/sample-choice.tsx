import { plural } from '@lingui/core/macro';
import { Trans, useLingui } from '@lingui/react/macro';
import {
    FieldError,
    Input,
    Label,
    NativeSelect,
    NativeSelectOption,
    Textarea,
    toast,
    useMutation,
    usePermissions,
} from '@vendure/dashboard';
import { type ReactNode, useId } from 'react';
import { faultOf } from '../../../ground/fault';
import { recordsOfFile } from './records-of-file';
import type { SampleChosen, Samples } from './use-samples';

const LIMITS = [5, 10, 50, 100] as const;

interface SampleChoiceProps {
    readonly samples: Samples;
    /** What tries the step with them. */
    readonly children: ReactNode;
}

/** The choice of sample records: from the source, from the last run, rejected ones, typed ones, or from a file. */
export function SampleChoice({ samples, children }: SampleChoiceProps): ReactNode {
    const { t } = useLingui();
    const { hasPermissions } = usePermissions();
    const id = useId();
    const { origin, limit } = samples;
    const mayReadRuns = hasPermissions(['ReadFlowRun']);
    const words = {
        source: t`from the source`,
        lastRun: t`from the last run`,
        given: t`typed or from a file`,
        refused: t`rejected here in runs`,
    };
    const offered = samples.offered.filter(one => mayReadRuns || (one !== 'lastRun' && one !== 'refused'));
    return (
        <>
            <div className="flex flex-wrap items-end gap-2">
                {samples.offered.length > 1 && (
                    <div className="min-w-40 grow space-y-1">
                        <Label htmlFor={id}>
                            <Trans>Sample records</Trans>
                        </Label>
                        <NativeSelect
                            id={id}
                            className="w-full"
                            value={origin}
                            onChange={({ target }) => samples.choose(target.value as SampleChosen)}
                        >
                            {offered.map(one => (
                                <NativeSelectOption key={one} value={one}>
                                    {words[one]}
                                </NativeSelectOption>
                            ))}
                        </NativeSelect>
                    </div>
                )}
                {origin !== 'given' && (
                    <NativeSelect
                        aria-label={t`Count`}
                        value={String(limit)}
                        onChange={({ target }) => samples.setLimit(Number(target.value))}
                    >
                        {LIMITS.map(one => (
                            <NativeSelectOption key={one} value={String(one)}>
                                {one}
                            </NativeSelectOption>
                        ))}
                    </NativeSelect>
                )}
                {children}
            </div>
            {origin === 'given' && <GivenRecords samples={samples} />}
            <LastRunWords samples={samples} />
        </>
    );
}

function GivenRecords({ samples }: Pick<SampleChoiceProps, 'samples'>): ReactNode {
    const { t } = useLingui();
    const { hasPermissions } = usePermissions();
    const { text, isBroken, setText } = samples;
    const reading = useMutation({
        mutationFn: recordsOfFile,
        onSuccess: setText,
        onError: error => toast.error(faultOf(error).message),
    });
    return (
        <div className="space-y-1">
            <Input
                type="file"
                accept={
                    hasPermissions(['ManageFlowFiles'])
                        ? '.json,.ndjson,.jsonl,.csv,.xml,.xlsx'
                        : '.json,.ndjson,.jsonl'
                }
                aria-label={t`A file with records`}
                disabled={reading.isPending}
                onChange={({ target }) => target.files?.[0] && reading.mutate(target.files[0])}
            />
            <Textarea
                aria-label={t`Records as JSON`}
                aria-invalid={isBroken}
                translate="no"
                spellCheck={false}
                className="max-h-64 font-mono text-sm"
                rows={6}
                placeholder={'{"sku": "A-1", "price": "19.90"}'}
                value={text}
                onChange={({ target }) => setText(target.value)}
            />
            {isBroken && (
                <FieldError>
                    <Trans>Not valid records. Enter one JSON object, a list of objects, or one object per line.</Trans>
                </FieldError>
            )}
        </div>
    );
}

/** What the last run left. A run stores no records except rejected ones. */
export function LastRunWords({ samples }: Pick<SampleChoiceProps, 'samples'>): ReactNode {
    const { t } = useLingui();
    const { lastRun } = samples;
    if (lastRun === undefined) return null;
    const refused = lastRun?.refused.length ?? 0;
    const names = lastRun?.filenames.join(', ') ?? '';
    return (
        <p className="text-sm text-muted-foreground">
            {lastRun === null
                ? t`No runs yet.`
                : refused > 0
                  ? t`${plural(refused, { one: '# record rejected here by the last run', other: '# records rejected here by the last run' })}`
                  : names === ''
                    ? t`The last run rejected no records at this step, so none are stored. Its sources were read again.`
                    : t`The last run rejected no records at this step, so none are stored. Its sources were read again (${names}).`}
        </p>
    );
}
