import { type AnyField, type Shape, type Table, table } from '../../core/codec/proto.ts';

const wordyShape = (shape: Shape<unknown> | undefined): Shape<unknown> | undefined =>
  shape !== undefined && 'fields' in shape ? wordy(shape as Table<unknown>) : shape;

/** The same message by a writer that leaves no number and no text out, at any depth: protobufjs given all fields. */
export const wordy = <T>({ name, fields, options }: Table<T>): Table<T> => {
  const full = fields.map(
    (field): AnyField => ({
      ...field,
      presence: field.presence === 'implicit' && field.kind !== 'bytes' ? 'always' : field.presence,
      shape: wordyShape(field.shape as Shape<unknown> | undefined),
    }),
  );
  return table<T>(name, full as never, options);
};
