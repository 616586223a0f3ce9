import { type Command, Help, Option } from 'commander';
import { APP_TOML } from '../config/appToml.ts';
import { CONFIG_TOML } from '../config/configToml.ts';
import type { Field } from '../config/field.ts';
import { fieldsOf, type Table } from '../config/table.ts';

/** Former names of settings, accepted as flags only. */
const ALIASES: Readonly<Record<string, string>> = {
  'evm.rpc.api': 'json-rpc.api',
  'evm.rpc.evm-timeout': 'json-rpc.evm-timeout',
};

/**
 * Adds a flag for every key of config.toml and app.toml. The returned map is filled while the command line is parsed.
 * `own`: defaults that differ for this command.
 */
export function addSettingFlags(
  command: Command,
  own: ReadonlyMap<string, string> = new Map(),
): ReadonlyMap<string, string> {
  hidePresets(command);
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
      add(
        path,
        `${field.comment} (default ${defaultOf(field, own.get(path))})`,
        field.isBoolean,
        group,
        path,
      );
      for (const [alias, target] of Object.entries(ALIASES))
        if (target === path) add(alias, `the same as --${path}`, field.isBoolean, group, target);
    }
  };
  addTable('config.toml', CONFIG_TOML);
  addTable('app.toml', APP_TOML);
  return flags;
}

/** The default in the form that the file has. */
function defaultOf(field: Field<unknown>, own: string | undefined): string {
  const given = own === undefined ? undefined : field.fromText(own);
  return field.toToml(given?.ok === true ? given.value : field.fallback);
}

/** Hides what a switch without argument means: it is obvious, and help would show it like a default. */
function hidePresets(command: Command): void {
  const plain = new Help();
  command.configureHelp({
    ...command.configureHelp(),
    optionDescription: (option) =>
      option.presetArg === undefined ? plain.optionDescription(option) : option.description,
  });
}
