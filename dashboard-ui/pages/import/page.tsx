import { Trans, useLingui } from '@lingui/react/macro';
import { api, Button, Card, CardContent, Page, PageTitle, useNavigate, useQuery } from '@vendure/dashboard';
import { SearchXIcon } from 'lucide-react';
import { type ComponentType, type ReactNode, useCallback, useEffect, useMemo, useReducer, useRef } from 'react';
import type { VariablesOf } from '../../gql/graphql';
import { FaultNotice } from '../../parts/fault-notice';
import { Loading } from '../../parts/loading';
import { NothingHere } from '../../parts/nothing-here';
import { type Search, useSearch } from '../../parts/use-search';
import { Stepper } from '../../parts/wizard/stepper';
import { useFocusOnStep, type WizardFrame, WizardFrameContext } from '../../parts/wizard/wizard-frame';
import { CheckScreen } from './check/check-screen';
import { DraftStatus } from './draft-status';
import { FileScreen } from './file/file-screen';
import { importDraftDocument, saveImportDraftDocument } from './import.graphql';
import { IMPORT_TARGETS, type ImportPlan } from './import-plan';
import { MappingScreen } from './mapping/mapping-screen';
import { ImportScreen } from './result/import-screen';
import { useStepWords } from './step-words';
import { TargetScreen } from './target/target-screen';
import { useDraftSaving } from './use-draft-saving';
import { fetchSuggestion, useFileReading } from './use-file-reading';
import { type Wizard, WizardContext } from './wizard-context';
import {
    isReachable,
    newWizard,
    openStep,
    reduceWizard,
    STEPS,
    type DraftVersion,
    type ImportResult,
    type ResumedDraft,
    type SavedPart,
    type WizardAddress,
    type WizardState,
    type WizardStep,
} from './wizard-state';

const SCREENS: Readonly<Record<WizardStep, ComponentType>> = {
    FILE: FileScreen,
    TARGET: TargetScreen,
    MAPPING: MappingScreen,
    CHECK: CheckScreen,
    IMPORT: ImportScreen,
};

/** From an unknown file to a correct catalogue: which file, what is in it, where does it go? */
export default function ImportPage(): ReactNode {
    return (
        <Page pageId="flow-import">
            <PageTitle>
                <Trans context="flow import">Import</Trans>
            </PageTitle>
            <ImportWizard />
        </Page>
    );
}

/** The state of the wizard. The address names the screen, the draft, and the file or the target that the user came for. */
function ImportWizard(): ReactNode {
    const [search, change] = useSearch();
    const navigate = useNavigate();
    const [state, dispatch] = useReducer(reduceWizard, addressOf(search), newWizard);
    const step = openStep(state, search['step']);
    const open = useCallback(
        (next: WizardStep): void =>
            void navigate({ to: '.', search: ((old: object) => ({ ...old, step: next })) as never }),
        [navigate],
    );
    const startOver = useCallback((): void => {
        dispatch({ type: 'STARTED_OVER' });
        void navigate({ to: '.', search: {} as never });
    }, [navigate]);
    const target = state.plan?.target;
    const finish = useCallback(
        (result: ImportResult): void => {
            dispatch({ type: 'IMPORTED', result });
            const { pipelineId: pipeline, runId: run } = result;
            void navigate({ to: '.', search: { step: 'IMPORT', target, pipeline, run } as never });
        },
        [navigate, target],
    );
    const reading = useFileReading(state, dispatch);
    const saving = useDraftSaving({ state, step, dispatch, save: saveDraft });
    const wizard = useMemo<Wizard>(
        () => ({ state, dispatch, step, open, finish, startOver, reading, saving }),
        [state, step, open, finish, startOver, reading, saving],
    );
    const requested = search['draft'];
    // The draft of an import that was started does not exist any more.
    const draftId = state.result ? undefined : state.draft?.id;
    useEffect(() => {
        if (draftId !== undefined) change({ draft: draftId, target: undefined });
    }, [draftId, change]);
    const file = search['file'];
    const { read } = reading;
    useEffect(() => {
        if (file === undefined) return;
        change({ file: undefined });
        void read({ fileId: file });
    }, [file, change, read]);
    useFocusOnStep(step);
    const frame = useFrame(wizard);
    const Screen = SCREENS[step];
    return (
        <WizardContext value={wizard}>
            {requested !== undefined && draftId === undefined && !state.result ? (
                <Resuming
                    id={requested}
                    onResume={draft => {
                        dispatch({ type: 'RESUMED', draft });
                        if (search['step'] === undefined) change({ step: draft.step });
                    }}
                    onStartOver={() => change({ draft: undefined, step: undefined })}
                />
            ) : (
                <WizardFrameContext value={frame}>
                    <div className="space-y-4">
                        <Stepper />
                        <Screen />
                    </div>
                </WizardFrameContext>
            )}
        </WizardContext>
    );
}

/** The screens as the frame shows them. */
function useFrame({ state, step: shown, open, saving }: Wizard): WizardFrame {
    const { t } = useLingui();
    const words = useStepWords();
    return {
        label: t`Steps of the import`,
        steps: STEPS.map(key => ({ key, name: words[key], isReachable: isReachable(state, key) })),
        shown,
        open: key => open(key as WizardStep),
        isFinished: shown === 'IMPORT',
        status: saving.state === 'NONE' || shown === 'IMPORT' ? undefined : <DraftStatus saving={saving} />,
    };
}

function addressOf({ target, pipeline, run }: Search): WizardAddress {
    const preset = IMPORT_TARGETS.find(one => one === target);
    return { preset, ...(pipeline && { result: { pipelineId: pipeline, ...(run && { runId: run }) } }) };
}

async function saveDraft({ profileId, plan, step }: SavedPart, state: WizardState): Promise<DraftVersion> {
    const { draft, repeats } = state;
    const input: VariablesOf<typeof saveImportDraftDocument>['input'] = {
        // A new draft names the pipeline that it repeats.
        ...(draft ?? { pipelineId: repeats?.id }),
        profileId,
        plan,
        step,
    };
    const { saveFlowImportDraft } = await api.mutate(saveImportDraftDocument, { input });
    return saveFlowImportDraft;
}

interface ResumingProps {
    readonly id: string;
    readonly onResume: (draft: ResumedDraft) => void;
    readonly onStartOver: () => void;
}

/** Loads the import that the address names. */
function Resuming({ id, onResume, onStartOver }: ResumingProps): ReactNode {
    const { data, error, refetch } = useQuery({
        queryKey: ['flow', 'import-draft', id],
        queryFn: () => fetchDraft(id),
        // Later changes are in the wizard, not in this response.
        gcTime: 0,
        staleTime: Infinity,
        retry: false,
    });
    const resume = useRef(onResume);
    resume.current = onResume;
    useEffect(() => {
        if (data) resume.current(data);
    }, [data]);
    if (error) return <FaultNotice error={error} onRetry={refetch} />;
    if (data !== null) return <Loading className="h-96" />;
    return (
        <Card>
            <CardContent>
                <NothingHere
                    icon={SearchXIcon}
                    title={<Trans>This import no longer exists</Trans>}
                    purpose={<Trans>It was finished or discarded, its file was deleted, or it has expired.</Trans>}
                >
                    <Button onClick={onStartOver}>
                        <Trans>Import another file</Trans>
                    </Button>
                </NothingHere>
            </CardContent>
        </Card>
    );
}

/** A stored draft with what the screens need; null if it or its file no longer exists. */
async function fetchDraft(id: string): Promise<ResumedDraft | null> {
    const { flowImportDraft: found } = await api.query(importDraftDocument, { id });
    if (!found?.profile) return null;
    const plan = found.plan as ImportPlan;
    const suggestion = await fetchSuggestion(found.profile.id, plan.target, plan);
    return {
        draft: { id: found.id, version: found.version },
        step: found.step,
        profile: found.profile,
        plan,
        suggestion,
        ...(found.pipeline && { repeats: found.pipeline }),
        ...(found.check?.isCurrent && { runId: found.check.runId }),
    };
}
