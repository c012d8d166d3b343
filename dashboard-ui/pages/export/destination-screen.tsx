import { Trans, useLingui } from '@lingui/react/macro';
import { Card, CardContent, CardHeader, CardTitle, usePermissions } from '@vendure/dashboard';
import type { ReactNode } from 'react';
import { ConnectionSelect } from '../../parts/connection-select';
import { TextField } from '../../parts/text-field';
import { WizardScreen } from '../../parts/wizard/wizard-screen';
import { ChoiceCards } from './choice-cards';
import { ChoiceField } from './choice-field';
import { useExport } from './export-context';
import { CONNECTION_TYPES, EXPORT_DESTINATIONS, type ExportDestination, isManaged, missingOf } from './export-plan';
import { useDestinationWords, useEntityWords } from './export-words';
import { type ExportResult, useCreateExport } from './use-create-export';

interface DestinationScreenProps {
    /** The name of the pipeline; undefined until the user has changed it. */
    readonly name: string | undefined;
    readonly onRename: (name: string) => void;
    readonly onDone: (result: ExportResult) => void;
}

const NIGHT = '03:00';
/** Any one of these permissions is needed to get the file. */
const NEEDED: Readonly<Partial<Record<ExportDestination, readonly string[]>>> = {
    DOWNLOAD: ['ReadFlowFiles', 'ManageFlowFiles'],
    FILE: ['ReadFlowFiles', 'ManageFlowFiles'],
    FEED: ['ManageFlowFeeds'],
};

/** Where the file goes, and when. */
export function DestinationScreen({ name: given, onRename, onDone }: DestinationScreenProps): ReactNode {
    const { t } = useLingui();
    const { plan, shop, change } = useExport();
    const { hasPermissions } = usePermissions();
    const words = useDestinationWords();
    const what = useEntityWords()[plan.entity].name;
    const name = given ?? t`Export: ${what}`;
    const { press, isPending, dialog } = useCreateExport({ name: name.trim(), plan, shop, onDone });
    const mayAny = (permissions: readonly string[]): boolean => permissions.some(one => hasPermissions([one]));
    const destinations = EXPORT_DESTINATIONS.filter(one => mayAny(NEEDED[one] ?? ['CreateFlowPipeline']));
    const isAllowed = destinations.includes(plan.destination);
    const missing = missingOf(plan);
    return (
        <WizardScreen
            title={<Trans>Where does the file go, and when?</Trans>}
            primary={{
                label: isPending ? <Trans>Creating the export…</Trans> : <Trans>Create the export</Trans>,
                onPress: press,
                isDisabled: missing !== undefined || !isAllowed || name.trim() === '' || isPending,
                reason: !isAllowed ? (
                    <Trans>Choose a destination.</Trans>
                ) : missing === 'CONNECTION' ? (
                    <Trans>Choose a connection.</Trans>
                ) : missing === 'TIME' ? (
                    <Trans>Enter a time.</Trans>
                ) : name.trim() === '' ? (
                    <Trans>Enter a name.</Trans>
                ) : undefined,
            }}
        >
            <ChoiceCards
                label={t`Destination`}
                choices={destinations}
                words={words}
                value={plan.destination}
                onChange={destination => change({ destination, connectionCode: '', folder: '' })}
            />
            {!isManaged(plan.destination) && <ServerFields />}
            <Card>
                <CardHeader>
                    <CardTitle>
                        <Trans>When</Trans>
                    </CardTitle>
                </CardHeader>
                <CardContent className="grid gap-4 md:grid-cols-2">
                    <ChoiceField
                        label={<Trans>Repeat</Trans>}
                        value={plan.dailyAt === undefined ? 'ONCE' : 'DAILY'}
                        choices={[
                            ['ONCE', t`Once, now`],
                            ['DAILY', t`Now and every day`],
                        ]}
                        onChange={choice => change({ dailyAt: choice === 'DAILY' ? NIGHT : undefined })}
                    />
                    {plan.dailyAt !== undefined && (
                        <TextField
                            label={<Trans>Time</Trans>}
                            type="time"
                            value={plan.dailyAt}
                            help={plan.timezone}
                            onChange={dailyAt => change({ dailyAt })}
                        />
                    )}
                    <TextField
                        className="md:col-span-2"
                        label={<Trans>Name of the export</Trans>}
                        value={name}
                        maxLength={200}
                        help={<Trans>The export is a pipeline with this name. You can change and repeat it.</Trans>}
                        onChange={onRename}
                    />
                </CardContent>
            </Card>
            {dialog}
        </WizardScreen>
    );
}

/** The connection, and the place on its server. */
function ServerFields(): ReactNode {
    const { t } = useLingui();
    const { plan, change } = useExport();
    const date = '${date}';
    return (
        <Card>
            <CardContent className="grid gap-4 md:grid-cols-2">
                <ConnectionSelect
                    types={CONNECTION_TYPES[plan.destination] ?? []}
                    value={plan.connectionCode}
                    onChange={connectionCode => change({ connectionCode })}
                />
                <TextField
                    label={t`Folder`}
                    value={plan.folder}
                    placeholder="out/products"
                    onChange={folder => change({ folder })}
                />
                <TextField
                    label={<Trans>File name</Trans>}
                    value={plan.fileName}
                    placeholder="products-${date}.csv"
                    help={
                        <Trans>
                            {date} stands for the date. Default: the code of the pipeline and the date. A file with the
                            same name is replaced.
                        </Trans>
                    }
                    onChange={fileName => change({ fileName })}
                />
            </CardContent>
        </Card>
    );
}
