import { Plural, Trans, useLingui } from '@lingui/react/macro';
import { Alert, AlertDescription, AlertTitle, Button, Card, CardContent } from '@vendure/dashboard';
import { CircleAlertIcon, RotateCcwIcon } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { faultOf } from '../../../ground/fault';
import { Bytes, Count } from '../../../parts/figure';
import { Loading } from '../../../parts/loading';
import { useFocusOnStep } from '../../../parts/wizard/wizard-frame';
import { type PrimaryAction, WizardScreen } from '../../../parts/wizard/wizard-screen';
import type { FileProfile } from '../import.graphql';
import { KnownExport } from '../known-export';
import { UnfinishedImports } from '../unfinished-imports';
import type { FileToRead } from '../use-file-reading';
import { useWizard } from '../wizard-context';
import { isPlanned, isReachable, stepAfter } from '../wizard-state';
import { AccessNotice } from './access-notice';
import { ChooseFile } from './choose-file';
import { changedFacts } from './file-facts';
import { FactSelects } from './fact-selects';
import { FileGrid } from './file-grid';
import { FileWarnings } from './file-warnings';
import { FittingPipelines } from './fitting-pipelines';

/** Which file is imported, and how is it read? */
export function FileScreen(): ReactNode {
    const { state, dispatch, open, reading } = useWizard();
    const [isChoosing, setChoosing] = useState(false);
    const { profile } = state;
    const choose = async (file: FileToRead): Promise<void> => {
        setChoosing(false);
        await reading.read(file);
    };
    const isChosen = profile !== undefined && !isChoosing;
    // The button that has chosen the file no longer exists.
    useFocusOnStep(isChosen ? 'CHOSEN' : 'CHOOSE');
    const primary: PrimaryAction | undefined = isChosen
        ? {
              label: <Trans>Continue</Trans>,
              onPress: () => open(stepAfter(state, 'FILE')),
              isDisabled: !isReachable(state, 'TARGET') || reading.pending !== undefined,
              reason:
                  reading.pending === 'SUGGESTION' ? (
                      <Trans>Matching the columns…</Trans>
                  ) : profile.rows === 0 || profile.columns.length === 0 ? (
                      <Trans>The file has no rows to import.</Trans>
                  ) : undefined,
          }
        : undefined;
    return (
        <WizardScreen
            primary={primary}
            title={isChosen ? <Trans>How the file is read</Trans> : <Trans>Choose a file</Trans>}
        >
            {reading.failed?.what === 'FILE' && <ReadingFailed error={reading.failed.error} />}
            {!isChosen && (
                <>
                    <AccessNotice />
                    <ChooseFile
                        onChoose={choose}
                        onCancel={profile && (() => setChoosing(false))}
                        keptName={profile?.filename}
                    />
                    <UnfinishedImports
                        exceptId={state.draft?.id}
                        onContinue={() => dispatch({ type: 'STARTED_OVER' })}
                    />
                </>
            )}
            {reading.pending === 'FILE' && !profile && <ReadingFile />}
            {isChosen && reading.pending !== 'FILE' && <FittingPipelines profileId={profile.id} />}
            {isChosen && isPlanned(state) && <KnownExport />}
            {isChosen && <ChosenFile profile={profile} onOther={() => setChoosing(true)} />}
            {reading.failed?.what === 'SUGGESTION' && <SuggestionFailed error={reading.failed.error} />}
        </WizardScreen>
    );
}

function ReadingFile(): ReactNode {
    return (
        <Card>
            <CardContent className="space-y-3">
                <p className="text-sm text-muted-foreground">
                    <Trans>Reading the file</Trans>
                </p>
                <Loading className="h-10" />
                <Loading className="h-64" />
            </CardContent>
        </Card>
    );
}

function ReadingFailed({ error }: { readonly error: unknown }): ReactNode {
    return (
        <Alert className="border-destructive">
            <CircleAlertIcon aria-hidden className="text-destructive" />
            <AlertTitle>
                <Trans>The file cannot be read</Trans>
            </AlertTitle>
            <AlertDescription>{faultOf(error).message}</AlertDescription>
        </Alert>
    );
}

function SuggestionFailed({ error }: { readonly error: unknown }): ReactNode {
    const { reading } = useWizard();
    const { message } = faultOf(error);
    return (
        <Alert className="border-destructive">
            <CircleAlertIcon aria-hidden className="text-destructive" />
            <AlertTitle>
                <Trans>The columns could not be matched</Trans>
            </AlertTitle>
            <AlertDescription className="space-y-2">
                <p>{message}</p>
                <Button variant="outline" size="sm" onClick={() => void reading.suggest()}>
                    <RotateCcwIcon aria-hidden />
                    <Trans>Try again</Trans>
                </Button>
            </AlertDescription>
        </Alert>
    );
}

interface ChosenFileProps {
    readonly profile: FileProfile;
    readonly onOther: () => void;
}

function ChosenFile({ profile, onOther }: ChosenFileProps): ReactNode {
    const { t } = useLingui();
    const { reading, state } = useWizard();
    const { filename, size, rows, columns, fileId } = profile;
    const isReading = reading.pending === 'FILE';
    return (
        <Card>
            <CardContent className="space-y-4">
                <div className="flex flex-wrap items-center justify-between gap-2">
                    <p className="flex min-w-0 flex-wrap items-baseline gap-x-2 text-sm text-muted-foreground">
                        <span className="max-w-full truncate text-base font-medium text-foreground" translate="no">
                            {filename}
                        </span>
                        <span>
                            <Bytes bytes={size} />
                        </span>
                        <span>
                            · <Count value={rows} /> <Plural value={rows} one="row" other="rows" />
                        </span>
                        <span>
                            · <Plural value={columns.length} one="# column" other="# columns" />
                        </span>
                    </p>
                    <Button variant="outline" onClick={onOther}>
                        <Trans>Other file</Trans>
                    </Button>
                </div>
                <FactSelects
                    profile={profile}
                    isDisabled={isReading}
                    onChange={change =>
                        void reading.read({
                            fileId,
                            facts: changedFacts(profile, change),
                            ...(state.origin && { origin: state.origin }),
                        })
                    }
                />
                <div
                    aria-busy={isReading}
                    aria-label={t`Rows of the file`}
                    role="region"
                    className={isReading ? 'opacity-60' : ''}
                >
                    <FileGrid
                        profile={profile}
                        onChange={change => void reading.read({ fileId, facts: changedFacts(profile, change) })}
                    />
                </div>
                <FileWarnings warnings={profile.warnings} />
            </CardContent>
        </Card>
    );
}
