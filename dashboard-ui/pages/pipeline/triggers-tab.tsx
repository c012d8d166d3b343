import { Trans, useLingui } from '@lingui/react/macro';
import { Badge, Label } from '@vendure/dashboard';
import { RadioIcon, TriangleAlertIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import { useLineText } from '../../i18n/use-server-texts';
import { Copyable } from '../../parts/copyable';
import { NothingHere } from '../../parts/nothing-here';
import { useTriggerText, useTriggerWords } from '../../parts/trigger-words';
import type { Pipeline, PipelineTrigger } from './pipeline.graphql';

/** What starts its runs, in words; of webhooks where to post, and how. */
export function TriggersTab({ pipeline: { revision } }: { readonly pipeline: Pipeline }): ReactNode {
    if (!revision || revision.triggers.length === 0)
        return (
            <NothingHere
                icon={RadioIcon}
                title={<Trans>No trigger</Trans>}
                purpose={
                    <Trans>
                        The triggers of the live revision are listed here: manual, schedule, webhook, event, file or
                        message.
                    </Trans>
                }
            />
        );
    return (
        <ul className="space-y-4">
            {revision.triggers.map(trigger => (
                <Trigger key={trigger.key} trigger={trigger} />
            ))}
        </ul>
    );
}

function Trigger({ trigger }: { readonly trigger: PipelineTrigger }): ReactNode {
    const { t } = useLingui();
    const words = useTriggerWords();
    const textOf = useTriggerText();
    const lineOf = useLineText();
    return (
        <li className="space-y-3 rounded-md border p-4">
            <p className="flex flex-wrap items-center gap-2">
                <strong className="font-medium">{words[trigger.type] ?? trigger.type}</strong>
                {trigger.type !== 'MANUAL' && <span>{textOf(trigger)}</span>}
                <code className="text-xs text-muted-foreground" translate="no">
                    {trigger.key}
                </code>
                {!trigger.enabled && (
                    <Badge variant="outline">
                        <Trans context="flow">disabled</Trans>
                    </Badge>
                )}
            </p>
            {trigger.warnings.map(warning => (
                <p key={`${warning.code} ${warning.message}`} className="flex gap-2 text-sm">
                    <TriangleAlertIcon aria-hidden className="size-4 shrink-0 text-warning" />
                    <span>{lineOf(warning)}</span>
                </p>
            ))}
            {trigger.webhook && (
                <div className="space-y-3">
                    <div className="space-y-1">
                        <Label>
                            <Trans>URL</Trans>
                        </Label>
                        <Copyable text={trigger.webhook.url} label={t`Webhook URL`} />
                    </div>
                    <div className="space-y-1">
                        <Label>
                            <Trans>Sample request</Trans>
                        </Label>
                        <Copyable text={trigger.webhook.curl} label={t`Sample request for the webhook`} />
                        <p className="text-sm text-muted-foreground">
                            <Trans>The secret is read from an environment variable. Its value is never shown.</Trans>
                        </p>
                    </div>
                </div>
            )}
        </li>
    );
}
