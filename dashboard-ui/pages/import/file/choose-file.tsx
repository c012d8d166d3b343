import { Trans } from '@lingui/react/macro';
import {
    Button,
    Card,
    CardContent,
    Tabs,
    TabsContent,
    TabsList,
    TabsTrigger,
    usePermissions,
} from '@vendure/dashboard';
import type { ReactNode } from 'react';
import type { FileToRead } from '../use-file-reading';
import { PasteTab } from './paste-tab';
import { ServerTab } from './server-tab';
import { StoredTab } from './stored-tab';
import { UploadTab } from './upload-tab';
import { UrlTab } from './url-tab';

/** Takes the file that the user has chosen. */
export type OnChoose = (file: FileToRead) => Promise<void>;

interface ChooseFileProps {
    readonly onChoose: OnChoose;
    /** Keeps the file that was chosen before. */
    readonly onCancel: (() => void) | undefined;
    readonly keptName: string | undefined;
}

/** Where the file is: on this computer, on the server, in the clipboard, at an address, or on another server. */
export function ChooseFile({ onChoose, onCancel, keptName }: ChooseFileProps): ReactNode {
    const { hasPermissions } = usePermissions();
    const mayStore = hasPermissions(['ManageFlowFiles']);
    const tabs = [
        ...(mayStore
            ? [{ value: 'upload', label: <Trans>Upload</Trans>, content: <UploadTab onChoose={onChoose} /> }]
            : []),
        { value: 'stored', label: <Trans>Uploaded files</Trans>, content: <StoredTab onChoose={onChoose} /> },
        ...(mayStore
            ? [
                  { value: 'paste', label: <Trans>Paste</Trans>, content: <PasteTab onChoose={onChoose} /> },
                  {
                      value: 'url',
                      label: <Trans context="flow import">URL</Trans>,
                      content: <UrlTab onChoose={onChoose} />,
                  },
                  {
                      value: 'server',
                      label: <Trans context="flow import">Server</Trans>,
                      content: <ServerTab onChoose={onChoose} />,
                  },
              ]
            : []),
    ];
    return (
        <Card>
            <CardContent className="space-y-4">
                <Tabs defaultValue={tabs[0]?.value}>
                    <div className="overflow-x-auto overflow-y-hidden">
                        <TabsList>
                            {tabs.map(({ value, label }) => (
                                <TabsTrigger key={value} value={value} className="max-md:h-11">
                                    {label}
                                </TabsTrigger>
                            ))}
                        </TabsList>
                    </div>
                    {tabs.map(({ value, content }) => (
                        <TabsContent key={value} value={value} className="pt-2">
                            {content}
                        </TabsContent>
                    ))}
                </Tabs>
                {onCancel && (
                    <Button variant="outline" onClick={onCancel}>
                        <Trans>Keep {keptName}</Trans>
                    </Button>
                )}
            </CardContent>
        </Card>
    );
}
