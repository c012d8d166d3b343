import { Trans, useLingui } from '@lingui/react/macro';
import { api, keepPreviousData, Label, useQuery } from '@vendure/dashboard';
import { RadioIcon } from 'lucide-react';
import { type ReactNode, useEffect, useState } from 'react';
import { Copyable } from '../../../parts/copyable';
import { useTriggerText } from '../../../parts/trigger-words';
import { triggerPreviewDocument } from '../editor.graphql';
import type { Step } from '../model/definition';
import { useEditor } from '../state/editor-context';

const REST_MS = 400;

/** What a trigger would wait for, in words; of a webhook the address and a post to try it with. */
export function TriggerPreview({ step }: { readonly step: Step }): ReactNode {
    const { t } = useLingui();
    const { pipeline } = useEditor();
    const textOf = useTriggerText();
    const [config, setConfig] = useState(step.config);
    useEffect(() => {
        const timer = setTimeout(() => setConfig(step.config), REST_MS);
        return () => clearTimeout(timer);
    }, [step.config]);
    const { data } = useQuery({
        queryKey: ['flow', 'trigger-preview', pipeline.id, JSON.stringify(config)],
        queryFn: () => api.query(triggerPreviewDocument, { pipelineId: pipeline.id, config }),
        placeholderData: keepPreviousData,
        retry: false,
    });
    const preview = data?.flowTriggerPreview;
    if (!preview) return null;
    return (
        <section className="space-y-3 rounded-md border p-3" aria-live="polite">
            <p className="flex items-center gap-2 text-sm">
                <RadioIcon aria-hidden className="size-4 shrink-0 text-muted-foreground" />
                <span>
                    <Trans>Triggers:</Trans>{' '}
                    <strong className="font-medium">
                        {textOf({ type: String(config['type']), text: preview.text, config })}
                    </strong>
                </span>
            </p>
            {preview.webhook && (
                <>
                    <div className="space-y-1">
                        <Label>
                            <Trans>URL (after publishing)</Trans>
                        </Label>
                        <Copyable text={preview.webhook.url} label={t`Webhook URL`} />
                    </div>
                    <div className="space-y-1">
                        <Label>
                            <Trans>Sample request</Trans>
                        </Label>
                        <Copyable text={preview.webhook.curl} label={t`Sample request for the webhook`} />
                    </div>
                </>
            )}
        </section>
    );
}
