import { Card, CardContent, Tabs, TabsContent, TabsList, TabsTrigger } from '@vendure/dashboard';
import { type ReactNode, useEffect, useRef } from 'react';
import { useSearch } from './use-search';

/** A part of a page that is shown alone. */
export interface PageTab {
    /** The tab is in the address: `?tab=runs`. */
    readonly value: string;
    readonly label: ReactNode;
    readonly content: ReactNode;
}

interface PageTabsProps {
    readonly tabs: readonly PageTab[];
    /** The one that is shown where the address names none, or one that is not there. */
    readonly first: string;
}

/** The parts of a page, of which the address says which one is shown. */
export function PageTabs({ tabs, first }: PageTabsProps): ReactNode {
    const [search, setSearch] = useSearch();
    const list = useRef<HTMLDivElement>(null);
    const shown = tabs.some(({ value }) => value === search['tab']) ? search['tab'] : first;
    // On a phone not all tabs fit. The host marks the active one a moment later.
    useEffect(() => {
        const frame = requestAnimationFrame(() =>
            list.current
                ?.querySelector('[aria-selected=true]')
                ?.scrollIntoView({ block: 'nearest', inline: 'nearest' }),
        );
        return () => cancelAnimationFrame(frame);
    }, [shown]);
    return (
        <Tabs value={shown} onValueChange={tab => setSearch({ tab: String(tab) })}>
            <div className="overflow-x-auto overflow-y-hidden" ref={list}>
                <TabsList>
                    {tabs.map(({ value, label }) => (
                        <TabsTrigger key={value} value={value}>
                            {label}
                        </TabsTrigger>
                    ))}
                </TabsList>
            </div>
            <Card>
                <CardContent>
                    {tabs.map(({ value, content }) => (
                        <TabsContent key={value} value={value}>
                            {content}
                        </TabsContent>
                    ))}
                </CardContent>
            </Card>
        </Tabs>
    );
}
