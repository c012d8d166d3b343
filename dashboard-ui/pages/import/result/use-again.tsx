import { Trans } from '@lingui/react/macro';
import {
    api,
    Button,
    Card,
    CardContent,
    CardHeader,
    CardTitle,
    Field,
    FieldLabel,
    Input,
    Link,
    toast,
    useMutation,
    usePermissions,
} from '@vendure/dashboard';
import { FolderClockIcon, GlobeIcon, PencilIcon, UploadIcon } from 'lucide-react';
import { type ReactNode, useId, useState } from 'react';
import { faultOf } from '../../../ground/fault';
import { useOnce } from '../../../ground/use-once';
import { useWizard } from '../wizard-context';
import { type ImportedPipeline, renameImportDocument } from './result.graphql';
import { Schedule } from './schedule';

interface UseAgainProps {
    readonly pipeline: ImportedPipeline;
    readonly isPublished: boolean;
    readonly onChange: () => Promise<unknown>;
}

type Way = 'FOLDER' | 'URL' | undefined;

/** The import as a pipeline: its name, the next file, and a schedule. */
export function UseAgain({ pipeline, isPublished, onChange }: UseAgainProps): ReactNode {
    const { startOver } = useWizard();
    const { hasPermissions } = usePermissions();
    const [way, setWay] = useState<Way>();
    const mayChange = hasPermissions(['UpdateFlowPipeline']);
    const maySchedule = isPublished && mayChange && hasPermissions(['PublishFlowPipeline']);
    const toggle = (chosen: Way): void => setWay(way === chosen ? undefined : chosen);
    return (
        <Card>
            <CardHeader>
                <CardTitle>
                    <Trans>Use this import again</Trans>
                </CardTitle>
            </CardHeader>
            <CardContent className="space-y-4">
                {mayChange && <Name pipeline={pipeline} onChange={onChange} />}
                <div className="flex flex-wrap gap-2">
                    <Button variant="outline" className="max-md:h-11" onClick={startOver}>
                        <UploadIcon aria-hidden />
                        <Trans>Next file</Trans>
                    </Button>
                    {maySchedule && (
                        <>
                            <Button
                                variant="outline"
                                className="max-md:h-11"
                                aria-expanded={way === 'FOLDER'}
                                onClick={() => toggle('FOLDER')}
                            >
                                <FolderClockIcon aria-hidden />
                                <Trans>Every night from a folder</Trans>
                            </Button>
                            <Button
                                variant="outline"
                                className="max-md:h-11"
                                aria-expanded={way === 'URL'}
                                onClick={() => toggle('URL')}
                            >
                                <GlobeIcon aria-hidden />
                                <Trans>Every night from a URL</Trans>
                            </Button>
                        </>
                    )}
                    <Button
                        variant="outline"
                        className="max-md:h-11"
                        render={<Link to={`/flow/pipelines/${pipeline.id}/edit`} />}
                    >
                        <PencilIcon aria-hidden />
                        <Trans>Open in the editor</Trans>
                    </Button>
                </div>
                {way && <Schedule key={way} way={way} pipeline={pipeline} onChange={onChange} />}
            </CardContent>
        </Card>
    );
}

function Name({ pipeline, onChange }: Pick<UseAgainProps, 'pipeline' | 'onChange'>): ReactNode {
    const id = useId();
    const [name, setName] = useState(pipeline.name);
    const rename = useMutation({
        mutationFn: () =>
            api.mutate(renameImportDocument, {
                input: { id: pipeline.id, version: pipeline.version, name: name.trim() },
            }),
        onSuccess: onChange,
        onError: error => toast.error(faultOf(error).message),
    });
    const press = useOnce(rename.mutateAsync);
    const isChanged = name.trim() !== '' && name.trim() !== pipeline.name;
    return (
        <Field>
            <FieldLabel htmlFor={id}>
                <Trans context="flow import">Name of the pipeline</Trans>
            </FieldLabel>
            <div className="flex max-w-xl gap-2">
                <Input
                    id={id}
                    className="max-md:h-11"
                    maxLength={200}
                    value={name}
                    onChange={({ target }) => setName(target.value)}
                />
                {isChanged && (
                    <Button
                        variant="outline"
                        className="max-md:h-11"
                        disabled={rename.isPending}
                        onClick={() => press()}
                    >
                        <Trans>Rename</Trans>
                    </Button>
                )}
            </div>
        </Field>
    );
}
