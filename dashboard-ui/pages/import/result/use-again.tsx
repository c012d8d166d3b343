import { Trans, useLingui } from '@lingui/react/macro';
import {
    api,
    Button,
    Card,
    CardContent,
    CardHeader,
    CardTitle,
    Field,
    FieldDescription,
    FieldLabel,
    Input,
    Link,
    toast,
    useMutation,
    usePermissions,
} from '@vendure/dashboard';
import { FolderClockIcon, GlobeIcon, PencilIcon, UploadIcon } from 'lucide-react';
import { type ReactNode, useId, useState } from 'react';
import type { VariablesOf } from '../../../gql/graphql';
import { faultOf } from '../../../ground/fault';
import { useOnce } from '../../../ground/use-once';
import { FaultNotice } from '../../../parts/fault-notice';
import { ConnectionSelect } from '../../../parts/connection-select';
import { useWizard } from '../wizard-context';
import { filePatternOf } from './file-pattern';
import { type ImportedPipeline, renameImportDocument, scheduleImportDocument } from './result.graphql';

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

interface ScheduleProps extends Pick<UseAgainProps, 'pipeline' | 'onChange'> {
    readonly way: 'FOLDER' | 'URL';
}

type ScheduleInput = VariablesOf<typeof scheduleImportDocument>['input'];

/** Where the next files come from, and when they are read. Saving publishes the pipeline. */
function Schedule({ way, pipeline, onChange }: ScheduleProps): ReactNode {
    const { t } = useLingui();
    const id = useId();
    const { profile, plan } = useWizard().state;
    const source = plan?.source;
    const [connection, setConnection] = useState(
        source && 'connectionCode' in source ? (source.connectionCode ?? '') : '',
    );
    const [folder, setFolder] = useState(source?.kind === 'REMOTE' ? folderOf(source.path) : '');
    const [pattern, setPattern] = useState(filePatternOf(profile?.filename ?? ''));
    const [url, setUrl] = useState(source?.kind === 'URL' ? source.url : '');
    const [time, setTime] = useState('03:00');
    const timezone = Intl.DateTimeFormat().resolvedOptions().timeZone;
    const save = useMutation({
        mutationFn: () => {
            const [hour, minute] = time.split(':').map(Number);
            const cron = `${minute ?? 0} ${hour ?? 3} * * *`;
            const input: ScheduleInput =
                way === 'FOLDER'
                    ? {
                          pipelineId: pipeline.id,
                          version: pipeline.version,
                          trigger: { cron, timezone, folder: { connectionCode: connection, path: folder, pattern } },
                      }
                    : {
                          pipelineId: pipeline.id,
                          version: pipeline.version,
                          trigger: { cron, timezone },
                          url: url.trim(),
                          ...(connection && { connectionCode: connection }),
                      };
            return api.mutate(scheduleImportDocument, { input });
        },
        onSuccess: onChange,
    });
    const press = useOnce(save.mutateAsync);
    const isComplete = way === 'FOLDER' ? connection !== '' && pattern.trim() !== '' : /^https?:\/\/./.test(url.trim());
    return (
        <div className="max-w-xl space-y-4 rounded-md border p-4">
            <ConnectionSelect
                types={way === 'FOLDER' ? ['SFTP', 'FTP', 'OBJECT_STORAGE'] : ['HTTP']}
                value={connection}
                onChange={setConnection}
                isOptional={way === 'URL'}
            />
            {way === 'FOLDER' ? (
                <>
                    <TextField label={t`Folder`} value={folder} onChange={setFolder} placeholder="/out/prices" />
                    <TextField
                        label={t`File names`}
                        value={pattern}
                        onChange={setPattern}
                        help={t`* stands for any characters. The newest matching files are read.`}
                    />
                </>
            ) : (
                <TextField label={t`URL`} value={url} onChange={setUrl} placeholder="https://…" />
            )}
            <Field>
                <FieldLabel htmlFor={id}>
                    <Trans>Time</Trans>
                </FieldLabel>
                <Input
                    id={id}
                    type="time"
                    className="w-32 max-md:h-11"
                    value={time}
                    onChange={({ target }) => setTime(target.value)}
                />
                <FieldDescription>{timezone}</FieldDescription>
            </Field>
            {save.error && <FaultNotice error={save.error} />}
            {save.isSuccess ? (
                <p role="status">
                    <Trans>
                        Active: runs daily at {time} ({timezone}).
                    </Trans>
                </p>
            ) : (
                <Button className="max-md:h-11" disabled={!isComplete || save.isPending} onClick={() => press()}>
                    <Trans>Publish the schedule</Trans>
                </Button>
            )}
        </div>
    );
}

interface TextFieldProps {
    readonly label: string;
    readonly value: string;
    readonly onChange: (value: string) => void;
    readonly placeholder?: string;
    readonly help?: string;
}

function TextField({ label, value, onChange, placeholder, help }: TextFieldProps): ReactNode {
    const id = useId();
    return (
        <Field>
            <FieldLabel htmlFor={id}>{label}</FieldLabel>
            <Input
                id={id}
                className="max-md:h-11"
                value={value}
                placeholder={placeholder}
                onChange={({ target }) => onChange(target.value)}
            />
            {help && <FieldDescription>{help}</FieldDescription>}
        </Field>
    );
}

function folderOf(path: string): string {
    const at = path.lastIndexOf('/');
    return at < 0 ? '' : path.slice(0, at);
}
