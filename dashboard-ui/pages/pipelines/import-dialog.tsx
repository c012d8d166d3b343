import { Trans, useLingui } from '@lingui/react/macro';
import {
    Alert,
    AlertDescription,
    api,
    Button,
    Dialog,
    DialogContent,
    DialogDescription,
    DialogFooter,
    DialogHeader,
    DialogTitle,
    DialogTrigger,
    Field,
    FieldDescription,
    FieldLabel,
    Textarea,
    useMutation,
    useNavigate,
} from '@vendure/dashboard';
import { UploadIcon } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { toast } from 'sonner';
import { useOnce } from '../../ground/use-once';
import { DocumentFile } from '../../parts/document-file';
import { FaultNotice } from '../../parts/fault-notice';
import { codeOf, formatOf } from './document-text';
import { importPipelineDocument, pipelineVersionDocument } from './pipelines.graphql';

interface Asked {
    readonly text: string;
    /** Of the pipeline that is there already, once a person has said that it may be changed. */
    readonly version: number | undefined;
}

/** Takes a pipeline from a document. One that is there is changed only after a second word. */
export function ImportDialog(): ReactNode {
    const { t } = useLingui();
    const navigate = useNavigate();
    const [isOpen, setOpen] = useState(false);
    const [text, setText] = useState('');
    const [existing, setExisting] = useState<{ readonly name: string; readonly version: number }>();
    const taking = useMutation({
        mutationFn: async ({ text: document, version }: Asked) => {
            const code = codeOf(document);
            if (version === undefined && code !== undefined) {
                const { flowPipeline } = await api.query(pipelineVersionDocument, { code });
                if (flowPipeline) return { found: flowPipeline };
            }
            const { importFlowPipeline } = await api.mutate(importPipelineDocument, {
                document,
                format: formatOf(document),
                version,
            });
            return { taken: importFlowPipeline };
        },
        onSuccess: ({ found, taken }) => {
            if (found) return setExisting(found);
            setOpen(false);
            toast.success(t`${taken.name} imported`);
            return navigate({ to: `/flow/pipelines/${taken.id}` });
        },
    });
    const press = useOnce(taking.mutateAsync);
    const changeText = (changed: string): void => {
        setText(changed);
        setExisting(undefined);
        taking.reset();
    };
    return (
        <Dialog open={isOpen} onOpenChange={setOpen}>
            <DialogTrigger render={<Button variant="outline" />}>
                <UploadIcon aria-hidden />
                <Trans>Import JSON or YAML</Trans>
            </DialogTrigger>
            <DialogContent className="sm:max-w-2xl">
                <DialogHeader>
                    <DialogTitle>
                        <Trans>Import a pipeline</Trans>
                    </DialogTitle>
                    <DialogDescription>
                        <Trans>
                            A JSON or YAML document written by “Export”. It is imported as a draft. Nothing runs until
                            you publish it.
                        </Trans>
                    </DialogDescription>
                </DialogHeader>
                <Field>
                    <FieldLabel htmlFor="flow-import-text">
                        <Trans>Document</Trans>
                    </FieldLabel>
                    <DocumentFile onText={changeText}>
                        <Textarea
                            id="flow-import-text"
                            translate="no"
                            spellCheck={false}
                            className="max-h-80 font-mono text-sm"
                            rows={10}
                            value={text}
                            onChange={({ target }) => changeText(target.value)}
                        />
                    </DocumentFile>
                    <FieldDescription>
                        <Trans>
                            Connections and secrets are exported as codes. Set their values on their own pages.
                        </Trans>
                    </FieldDescription>
                </Field>
                {existing && (
                    <Alert>
                        <AlertDescription>
                            <Trans>
                                Pipeline “{existing.name}” already uses this code. Importing replaces its draft. The
                                live revision does not change.
                            </Trans>
                        </AlertDescription>
                    </Alert>
                )}
                {taking.error && <FaultNotice error={taking.error} />}
                <DialogFooter>
                    <Button
                        disabled={text.trim() === '' || taking.isPending}
                        onClick={() => press({ text, version: existing?.version })}
                    >
                        {existing ? <Trans>Replace the draft</Trans> : <Trans>Import</Trans>}
                    </Button>
                </DialogFooter>
            </DialogContent>
        </Dialog>
    );
}
