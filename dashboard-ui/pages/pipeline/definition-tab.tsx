import { Trans, useLingui } from '@lingui/react/macro';
import { Alert, AlertDescription, AlertTitle, NativeSelect, NativeSelectOption } from '@vendure/dashboard';
import { TriangleAlertIcon } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { Copyable } from '../../parts/copyable';
import { FaultNotice } from '../../parts/fault-notice';
import { Loading } from '../../parts/loading';
import { useErrorText } from '../../i18n/use-server-texts';
import { useRefreshed } from '../../parts/use-refreshed';
import { type Pipeline, textDocument } from './pipeline.graphql';

/** The pipeline as text, as it runs or as it is being edited; to be read and copied. */
export function DefinitionTab({ pipeline }: { readonly pipeline: Pipeline }): ReactNode {
    const { t } = useLingui();
    const { revision } = pipeline;
    const [isWorkingCopy, setWorkingCopy] = useState(revision === null);
    const [format, setFormat] = useState<'YAML' | 'JSON'>('YAML');
    const { data, error, refetch } = useRefreshed({
        document: textDocument,
        variables: { id: pipeline.id, revisionId: isWorkingCopy ? null : revision?.id, format },
        isRefreshed: false,
    });
    const number = revision?.number;
    return (
        <div className="space-y-3">
            <Issues pipeline={pipeline} />
            <div className="flex flex-wrap gap-2">
                {revision && pipeline.workingCopy && (
                    <NativeSelect
                        aria-label={t`Definition`}
                        value={isWorkingCopy ? 'copy' : 'revision'}
                        onChange={event => setWorkingCopy(event.target.value === 'copy')}
                    >
                        <NativeSelectOption value="revision">{t`Revision ${number} (live)`}</NativeSelectOption>
                        <NativeSelectOption value="copy">{t`draft`}</NativeSelectOption>
                    </NativeSelect>
                )}
                <NativeSelect
                    aria-label={t`Format`}
                    value={format}
                    onChange={event => setFormat(event.target.value === 'JSON' ? 'JSON' : 'YAML')}
                >
                    <NativeSelectOption value="YAML">YAML</NativeSelectOption>
                    <NativeSelectOption value="JSON">JSON</NativeSelectOption>
                </NativeSelect>
            </div>
            {error && <FaultNotice error={error} onRetry={refetch} />}
            {data ? (
                <Copyable text={data.exportFlowPipeline.content} label={t`The pipeline as text`} />
            ) : (
                !error && <Loading />
            )}
        </div>
    );
}

function Issues({ pipeline: { workingCopy } }: { readonly pipeline: Pipeline }): ReactNode {
    const textOf = useErrorText();
    if (!workingCopy || workingCopy.issues.length === 0) return null;
    return (
        <Alert>
            <TriangleAlertIcon aria-hidden />
            <AlertTitle>
                <Trans>Problems of the draft</Trans>
            </AlertTitle>
            <AlertDescription>
                <ul className="list-disc pl-4">
                    {workingCopy.issues.map(({ code, path, stepKey, message, facts }) => (
                        <li key={`${code} ${path} ${message}`}>
                            {stepKey && <code translate="no">{stepKey}</code>} {textOf({ message, facts })}
                        </li>
                    ))}
                </ul>
            </AlertDescription>
        </Alert>
    );
}
