import { Trans } from '@lingui/react/macro';
import { Button, Link } from '@vendure/dashboard';
import { FileInputIcon } from 'lucide-react';
import type { ReactNode } from 'react';

/** Opens the import wizard, with a target if the place has one. */
export function ImportButton({ target }: { readonly target?: string }): ReactNode {
    return (
        <Button
            variant="outline"
            render={<Link to="/flow/import" search={(target === undefined ? {} : { target }) as never} />}
        >
            <FileInputIcon aria-hidden />
            <Trans>Import file</Trans>
        </Button>
    );
}
