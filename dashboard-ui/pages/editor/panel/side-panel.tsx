import { plural } from '@lingui/core/macro';
import { Trans, useLingui } from '@lingui/react/macro';
import {
    Sheet,
    SheetContent,
    SheetDescription,
    SheetHeader,
    SheetTitle,
    Tabs,
    TabsContent,
    TabsList,
    TabsTrigger,
} from '@vendure/dashboard';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { stepOf } from '../model/definition';
import { PaletteList } from '../palette/palette-list';
import { usePalette } from '../palette/palette-state';
import { usualBehind } from '../palette/use-palette-state';
import { useEditor } from '../state/editor-context';
import { PipelineSettings } from './pipeline-settings';
import { StepPanel } from './step-panel';

/** What is chosen, to be filled in; where nothing is, what can be added, and the settings of the pipeline. */
export function SidePanel({ isPhone }: { readonly isPhone: boolean }): ReactNode {
    const { t } = useLingui();
    const { drawing } = useEditor();
    const step = drawing.selected.length === 1 ? stepOf(drawing.definition, drawing.selected[0]) : undefined;
    const panel = useRef<HTMLElement>(null);
    // Another step is looked at from its beginning.
    useEffect(() => {
        if (panel.current) panel.current.scrollTop = 0;
    }, [step?.key]);
    if (isPhone)
        return (
            <>
                <div className="rounded-lg border bg-card p-4">
                    <PipelineSettings />
                </div>
                <Sheet open={step !== undefined} onOpenChange={isOpen => !isOpen && drawing.select([])}>
                    <SheetContent className="w-full overflow-y-auto p-4 data-[side=right]:w-full">
                        <SheetHeader className="p-0">
                            <SheetTitle className="sr-only">{step?.name ?? step?.key}</SheetTitle>
                            <SheetDescription className="sr-only">{t`Settings of the step`}</SheetDescription>
                        </SheetHeader>
                        {step && <StepPanel key={step.key} step={step} />}
                    </SheetContent>
                </Sheet>
            </>
        );
    return (
        <aside
            ref={panel}
            aria-label={t`Selection`}
            className="max-h-[calc(100vh-10rem)] min-h-96 overflow-y-auto rounded-lg border bg-card p-4 lg:sticky lg:top-4"
            tabIndex={0}
        >
            {step ? <StepPanel key={step.key} step={step} /> : <Nothing count={drawing.selected.length} />}
        </aside>
    );
}

function Nothing({ count }: { readonly count: number }): ReactNode {
    const { t } = useLingui();
    const { drawing, checks, isReadOnly } = useEditor();
    const palette = usePalette();
    const [tab, setTab] = useState('add');
    // With no step chosen it is about the pipeline.
    const isSought = checks.issues.some(({ reached }) => reached !== undefined);
    useEffect(() => {
        if (isSought && count === 0) setTab('pipeline');
    }, [isSought, count]);
    if (count > 1)
        return (
            <p className="text-sm text-muted-foreground">
                {t`${plural(count, { one: '# step selected', other: '# steps selected' })}`}.{' '}
                <Trans>You can copy, move and delete them together.</Trans>
            </p>
        );
    if (isReadOnly) return <PipelineSettings />;
    const behind = usualBehind(drawing);
    return (
        <Tabs value={tab} onValueChange={chosen => setTab(String(chosen))}>
            <TabsList>
                <TabsTrigger value="add">
                    <Trans>Add a step</Trans>
                </TabsTrigger>
                <TabsTrigger value="pipeline">
                    <Trans context="flow">Pipeline</Trans>
                </TabsTrigger>
            </TabsList>
            <TabsContent value="add" className="pt-2">
                <PaletteList entries={palette.entries} onPick={entry => palette.add(entry, behind ? { behind } : {})} />
            </TabsContent>
            <TabsContent value="pipeline" className="pt-2">
                <PipelineSettings />
            </TabsContent>
        </Tabs>
    );
}
