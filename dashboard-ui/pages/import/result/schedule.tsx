import { Trans, useLingui } from '@lingui/react/macro';
import { api, Button, usePermissions } from '@vendure/dashboard';
import { type ReactNode, useState } from 'react';
import type { VariablesOf } from '../../../gql/graphql';
import { faultOf, isOfConnection } from '../../../ground/fault';
import { ConnectionSelect } from '../../../parts/connection-select';
import { FaultNotice } from '../../../parts/fault-notice';
import { type ConfirmedHost, useLetRun } from '../../../parts/secret-hosts';
import { TextField } from '../../../parts/text-field';
import { importFolderDocument, storeImportSourceDocument } from '../import.graphql';
import { useWizard } from '../wizard-context';
import { filePatternOf, matchesPattern } from './file-pattern';
import { type ImportedPipeline, scheduleImportDocument } from './result.graphql';

interface ScheduleProps {
    readonly way: 'FOLDER' | 'URL';
    readonly pipeline: ImportedPipeline;
    readonly onChange: () => Promise<unknown>;
}

type ScheduleInput = VariablesOf<typeof scheduleImportDocument>['input'];

/** Where later files come from, and when they are read. */
interface Choices {
    readonly connectionCode: string;
    readonly folder: string;
    readonly pattern: string;
    readonly url: string;
    readonly time: string;
}

/** What is wrong, and where it is shown. */
interface Fault {
    readonly at: 'CONNECTION' | 'FOLDER' | 'URL' | 'FORM';
    readonly error: unknown;
}

/** Where the next files come from, and when they are read. Saving tries the source and publishes the pipeline. */
export function Schedule({ way, pipeline, onChange }: ScheduleProps): ReactNode {
    const { t } = useLingui();
    const { profile, plan } = useWizard().state;
    const mayStore = usePermissions().hasPermissions(['ManageFlowFiles']);
    const source = plan?.source;
    const [choices, setChoices] = useState<Choices>({
        connectionCode: source && 'connectionCode' in source ? (source.connectionCode ?? '') : '',
        folder: source?.kind === 'REMOTE' ? folderOf(source.path) : '',
        pattern: filePatternOf(profile?.filename ?? ''),
        url: source?.kind === 'URL' ? source.url : '',
        time: '03:00',
    });
    const { connectionCode, folder, pattern, url, time } = choices;
    const [published, setPublished] = useState<Published>();
    const [fault, setFault] = useState<Fault>();
    const timezone = Intl.DateTimeFormat().resolvedOptions().timeZone;
    const set = (changes: Partial<Choices>): void => {
        setChoices({ ...choices, ...changes });
        setFault(undefined);
    };
    /** Whether a file matches; undefined if that is not known. Throws what is wrong with the source. */
    const trySource = async (): Promise<boolean | undefined> => {
        if (way === 'URL') {
            const input = { url: url.trim(), ...(connectionCode !== '' && { connectionCode }) };
            if (mayStore) await api.mutate(storeImportSourceDocument, { input });
            return undefined;
        }
        const path = folder.trim() === '' ? undefined : folder.trim();
        const { listFlowImportFolder } = await api.mutate(importFolderDocument, { connectionCode, path });
        const { files, isCut } = listFlowImportFolder;
        const matches = files.map(({ name }) => matchesPattern(name, pattern.trim()));
        if (matches.includes(true)) return true;
        return isCut || matches.includes(undefined) ? undefined : false;
    };
    const publish = async (allowSecretHosts: ConfirmedHost[]): Promise<void> => {
        const hasFile = await trySource().catch((error: unknown) => {
            throw new SourceFault(error);
        });
        const [hour, minute] = time.split(':').map(Number);
        const trigger = { cron: `${minute} ${hour} * * *`, timezone };
        const input: ScheduleInput = {
            pipelineId: pipeline.id,
            version: pipeline.version,
            allowSecretHosts,
            ...(way === 'FOLDER'
                ? { trigger: { ...trigger, folder: { connectionCode, path: folder.trim(), pattern: pattern.trim() } } }
                : { trigger, url: url.trim(), ...(connectionCode !== '' && { connectionCode }) }),
        };
        await api.mutate(scheduleImportDocument, { input });
        setPublished({ choices, hasFile });
    };
    const { press, isPending, dialog } = useLetRun({
        letRun: publish,
        onDone: onChange,
        onFault: error => setFault(placeFault(error, way)),
        allow: <Trans>Allow and publish</Trans>,
    });
    const isComplete =
        /^\d{2}:\d{2}$/.test(time) &&
        (way === 'FOLDER' ? connectionCode !== '' && pattern.trim() !== '' : /^https?:\/\/./.test(url.trim()));
    const at = (place: Fault['at']): unknown => (fault?.at === place ? fault.error : undefined);
    return (
        <div className="max-w-xl space-y-4 rounded-md border p-4">
            <ConnectionSelect
                types={way === 'FOLDER' ? ['SFTP', 'FTP', 'OBJECT_STORAGE'] : ['HTTP']}
                value={connectionCode}
                fault={at('CONNECTION')}
                onChange={code => set({ connectionCode: code })}
                isOptional={way === 'URL'}
            />
            {way === 'FOLDER' ? (
                <>
                    <TextField
                        label={t`Folder`}
                        value={folder}
                        fault={at('FOLDER')}
                        onChange={value => set({ folder: value })}
                        placeholder="/out/prices"
                    />
                    <TextField
                        label={t`File names`}
                        value={pattern}
                        onChange={value => set({ pattern: value })}
                        help={t`* stands for any characters. The newest matching files are read.`}
                    />
                </>
            ) : (
                <TextField
                    label={t`URL`}
                    value={url}
                    fault={at('URL')}
                    onChange={value => set({ url: value })}
                    placeholder="https://…"
                />
            )}
            <TextField
                label={<Trans>Time</Trans>}
                type="time"
                value={time}
                help={timezone}
                onChange={value => set({ time: value })}
            />
            {fault?.at === 'FORM' && <FaultNotice error={fault.error} />}
            {published?.choices === choices ? (
                <p role="status">
                    <Trans>
                        Active: runs daily at {time} ({timezone}).
                    </Trans>{' '}
                    {published.hasFile === false && <Trans>No file with such a name is in the folder now.</Trans>}
                </p>
            ) : (
                <Button className="max-md:h-11" disabled={!isComplete || isPending} onClick={press}>
                    {isPending ? <Trans>Trying the source…</Trans> : <Trans>Publish the schedule</Trans>}
                </Button>
            )}
            {dialog}
        </div>
    );
}

/** The choices that are active, and whether a file matched them. */
interface Published {
    readonly choices: Choices;
    readonly hasFile: boolean | undefined;
}

/** The source cannot be read. */
class SourceFault extends Error {
    constructor(readonly reason: unknown) {
        super();
    }
}

function placeFault(error: Error, way: 'FOLDER' | 'URL'): Fault {
    if (!(error instanceof SourceFault)) return { at: 'FORM', error };
    const { reason } = error;
    if (way === 'URL') return { at: isOfConnection(reason) ? 'CONNECTION' : 'URL', error: reason };
    return { at: faultOf(reason).code === 'REMOTE_FILE_NOT_FOUND' ? 'FOLDER' : 'CONNECTION', error: reason };
}

function folderOf(path: string): string {
    const at = path.lastIndexOf('/');
    return at < 0 ? '' : path.slice(0, at);
}
