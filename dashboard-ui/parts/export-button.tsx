import { Trans } from '@lingui/react/macro';
import { Button, Link } from '@vendure/dashboard';
import { FileOutputIcon } from 'lucide-react';
import type { ReactNode } from 'react';

/** Opens the export wizard, with what the place shows, if it is one of the wizard's entities. */
export function ExportButton({ entity }: { readonly entity?: string }): ReactNode {
    return (
        <Button
            variant="outline"
            render={<Link to="/flow/export" search={(entity === undefined ? {} : { entity }) as never} />}
        >
            <FileOutputIcon aria-hidden />
            <Trans>Export file</Trans>
        </Button>
    );
}
