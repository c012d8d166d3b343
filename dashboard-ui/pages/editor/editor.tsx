import { useLingui } from '@lingui/react/macro';
import { Page, PageActionBar, ActionBarItem, PageTitle, useIsMobile, usePermissions, toast } from '@vendure/dashboard';
import { lazy, type ReactNode, Suspense, useEffect, useMemo, useState } from 'react';
import { Loading } from '../../parts/loading';
import { CodeFirstNotice } from './life/code-first-notice';
import { FromRevision } from './life/from-revision';
import { LifeActions } from './life/life-actions';
import { Notices } from './life/notices';
import { PublishedNotice } from './life/published-notice';
import { UnreadNotice } from './life/unread-notice';
import { RecoveryDialog } from './life/recovery-dialog';
import type { AdapterView, DefinitionFormat, EditedPipeline, PublishedRevision } from './editor.graphql';
import type { NoPart } from './model/clipboard';
import { Outline } from './outline/outline';
import { SidePanel } from './panel/side-panel';
import { ProblemList } from './panel/problem-list';
import { PaletteDialog } from './palette/palette-dialog';
import { PaletteProvider } from './palette/palette-state';
import { usePaletteState } from './palette/use-palette-state';
import { useDrawing } from './state/drawing';
import { EditorProvider } from './state/editor-context';
import { keeper } from './state/kept';
import { useChecks } from './state/use-checks';
import { useKeys } from './state/use-keys';
import { useSeeking } from './state/use-seeking';
import { definitionOf, useSaving } from './state/use-saving';
import { useTrial } from './state/use-trial';
import type { UnreadText } from './text/definition-text';
import { Toolbar, type View } from './toolbar';

const Canvas = lazy(() => import('./canvas/canvas'));
const CodeView = lazy(() => import('./text/code-view'));

interface EditorProps {
    readonly pipeline: EditedPipeline;
    readonly format: DefinitionFormat;
    readonly adapters: readonly AdapterView[];
    /** Reloads the pipeline after its state has changed. */
    readonly onStanding: () => Promise<EditedPipeline | undefined>;
}

/** The definition is the only state; graph, outline and text are views of it. */
export function Editor({ pipeline, format, adapters, onStanding }: EditorProps): ReactNode {
    const { t } = useLingui();
    const isPhone = useIsMobile();
    const { hasPermissions } = usePermissions();
    const isOthers = pipeline.codeFirst || pipeline.archived || !hasPermissions(['UpdateFlowPipeline']);
    const kept = useMemo(() => keeper(localStorage, pipeline.id), [pipeline.id]);
    const drawing = useDrawing({ definition: definitionOf(pipeline), places: kept.places() });
    const saving = useSaving({ pipeline, drawing, isReadOnly: isOthers });
    const { checks, seek } = useSeeking(useChecks(drawing.definition));
    const trial = useTrial(pipeline.id);
    const catalogue = useMemo(() => ({ kinds: format.kinds, adapters }), [format, adapters]);
    const palette = usePaletteState(drawing, catalogue);
    const [chosenView, setView] = useState<View>();
    const view = chosenView ?? (isPhone ? 'outline' : 'graph');
    useEffect(() => kept.keepPlaces(drawing.places), [kept, drawing.places]);
    const [unread, setUnread] = useState<UnreadText>();
    // A drawing made while the text is being edited would be overwritten by the text.
    const isBeside = unread !== undefined && view !== 'text';
    const isReadOnly = isOthers || isBeside;
    const [refused, setRefused] = useState<NoPart>();
    const [published, setPublished] = useState<PublishedRevision>();
    const save = async (): Promise<void> => {
        if ((await saving.save()) === undefined) return;
        toast.success(t`Saved`);
        await onStanding();
    };
    useKeys({ drawing, saving, isReadOnly, onPaste: setRefused, onSave: save });
    const surroundings = { pipeline, catalogue, format, drawing, checks, seek, trial, isReadOnly };
    return (
        <Page pageId="flow-editor">
            <PageTitle>
                <span translate="no">{pipeline.name}</span>
            </PageTitle>
            <PageActionBar>
                <ActionBarItem itemId="flow-editor-life">
                    <LifeActions
                        pipeline={pipeline}
                        saving={saving}
                        checks={checks}
                        onSave={save}
                        onStanding={onStanding}
                        onPublished={setPublished}
                    />
                </ActionBarItem>
            </PageActionBar>
            <EditorProvider value={surroundings}>
                <PaletteProvider value={palette}>
                    <PaletteDialog />
                    <FromRevision />
                    <div className="space-y-3">
                        {isOthers && <CodeFirstNotice pipeline={pipeline} />}
                        {isBeside && (
                            <UnreadNotice onMend={() => setView('text')} onDiscard={() => setUnread(undefined)} />
                        )}
                        <Notices saving={saving} refused={refused} onRead={() => setRefused(undefined)} />
                        {published && (
                            <PublishedNotice
                                key={published.id}
                                revision={published}
                                onClose={() => setPublished(undefined)}
                            />
                        )}
                        <RecoveryDialog saving={saving} />
                        <Toolbar view={view} onView={setView} />
                        <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,1fr)_24rem]">
                            <div className="min-w-0 space-y-3">
                                <Suspense fallback={<Loading className="h-[32rem]" />}>
                                    {view === 'graph' && <Canvas />}
                                    {view === 'text' && <CodeView unread={unread} onUnread={setUnread} />}
                                </Suspense>
                                {view === 'outline' && <Outline />}
                                <ProblemList />
                            </div>
                            <SidePanel isPhone={isPhone} />
                        </div>
                    </div>
                </PaletteProvider>
            </EditorProvider>
        </Page>
    );
}
