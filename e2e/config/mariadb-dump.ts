import { createConnection, type RowDataPacket } from 'mysql2/promise';
import type { ServerConnection } from './vendure-config';

const ROWS_A_STATEMENT = 500;

/** All tables of a database with their rows, as SQL that creates them again. */
export async function dumpOf({ url }: ServerConnection<'mariadb'>): Promise<string> {
    const connection = await createConnection({
        uri: url,
        dateStrings: true,
        supportBigNumbers: true,
        bigNumberStrings: true,
    });
    try {
        const rows = async (sql: string): Promise<RowDataPacket[]> => (await connection.query<RowDataPacket[]>(sql))[0];
        const tables = (await rows("SHOW FULL TABLES WHERE Table_type = 'BASE TABLE'")).map(row =>
            String(Object.values(row)[0]),
        );
        const statements = [
            'SET FOREIGN_KEY_CHECKS = 0',
            'SET UNIQUE_CHECKS = 0',
            // An id 0 is stored as 0; it does not request the next number.
            "SET SESSION sql_mode = CONCAT(@@SESSION.sql_mode, ',NO_AUTO_VALUE_ON_ZERO')",
        ];
        for (const table of tables) {
            const [made] = await rows(`SHOW CREATE TABLE \`${table}\``);
            statements.push(String(made!['Create Table']));
            const all = (
                await connection.query({ sql: `SELECT * FROM \`${table}\``, rowsAsArray: true })
            )[0] as unknown[][];
            for (let from = 0; from < all.length; from += ROWS_A_STATEMENT) {
                statements.push(
                    connection.format(`INSERT INTO \`${table}\` VALUES ?`, [all.slice(from, from + ROWS_A_STATEMENT)]),
                );
            }
        }
        return statements.join(';\n');
    } finally {
        await connection.end();
    }
}

/** Creates the tables in an empty database. */
export async function replay(dump: string, { url }: ServerConnection<'mariadb'>): Promise<void> {
    const connection = await createConnection({ uri: url, multipleStatements: true });
    try {
        await connection.query(dump);
    } finally {
        await connection.end();
    }
}
