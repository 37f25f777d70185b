/**
 * The trigger that moves a full `digest_queue` to the blocks (digests.ts). It lies in a file of its
 * own, because the thread that writes SQLite needs it and would load kysely's 280 modules with the
 * queries beside it.
 */

const QUEUE_MAX = 4_096;

/** Names its columns, because `digest_blocks` gets one more (checks/row-checks.ts). */
export const FOLDING_TRIGGER = `
  create trigger if not exists digest_folded after insert on digest_queue
  when new.seq >= ${QUEUE_MAX} begin
    insert or ignore into digest_blocks (first_byte, last_entry, entries)
    select first_byte, max(entry), group_concat(entry, '') from digest_queue group by first_byte;
    delete from digest_queue;
  end`;
