import { type Command, Option } from 'commander';
import { APP_TOML } from '../config/appToml.ts';
import { CONFIG_TOML } from '../config/configToml.ts';
import { fieldsOf, type Table } from '../config/table.ts';

/** Older names of settings, as flags only. */
const ALIASES: Readonly<Record<string, string>> = {
  'evm.rpc.api': 'json-rpc.api',
  'evm.rpc.evm-timeout': 'json-rpc.evm-timeout',
};

/** Gives the command a flag for every key of config.toml and app.toml. The map fills as the command line is read. */
export function addSettingFlags(command: Command): ReadonlyMap<string, string> {
  const flags = new Map<string, string>();
  const add = (path: string, help: string, isBoolean: boolean, group: string, target: string): void => {
    const option = new Option(isBoolean ? `--${path} [bool]` : `--${path} <value>`, help);
    option.argParser((value: string) => {
      flags.set(target, value);
      return value;
    });
    if (isBoolean) option.preset('true');
    command.addOption(option.helpGroup(group));
  };
  const addTable = (file: string, table: Table): void => {
    for (const { section, path, field } of fieldsOf(table)) {
      const group = `${file}${section === '' ? '' : ` [${section}]`}:`;
      add(path, field.comment, field.isBoolean, group, path);
      for (const [alias, target] of Object.entries(ALIASES))
        if (target === path) add(alias, `the same as --${path}`, field.isBoolean, group, target);
    }
  };
  addTable('config.toml', CONFIG_TOML);
  addTable('app.toml', APP_TOML);
  return flags;
}
