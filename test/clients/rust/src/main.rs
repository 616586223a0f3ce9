//! Uses an Orrery node through tendermint-rpc over HTTP and over the websocket: methods and subscriptions.
//! A failure ends it with what failed.
//!
//! usage: orrery-rust-client <rpc url> <transactions to wait for>

use futures::StreamExt;
use std::time::Duration;
use tendermint_rpc::{
    client::CompatMode,
    event::{EventData, TxInfo},
    query::{EventType, Query},
    Client, HttpClient, Order, Paging, SubscriptionClient, WebSocketClient, WebSocketClientUrl,
};

struct Failure(String);

impl<E: std::fmt::Display> From<E> for Failure {
    fn from(error: E) -> Self {
        Failure(error.to_string())
    }
}

type Outcome<T> = Result<T, Failure>;

const TIMEOUT: Duration = Duration::from_secs(90);
const BLOCKS: usize = 3;

#[derive(Default)]
struct Checks(usize);

impl Checks {
    fn that(&mut self, name: &str, holds: bool) -> Outcome<()> {
        self.0 += 1;
        if holds {
            Ok(())
        } else {
            Err(format!("{name}: not so").into())
        }
    }
}

/// Blocks and transactions as they come, on one socket; answers the last transaction.
async fn subscriptions(live: &WebSocketClient, count: usize, checks: &mut Checks) -> Outcome<TxInfo> {
    let mut blocks = live.subscribe(EventType::NewBlock.into()).await?;
    let mut txs = live.subscribe(EventType::Tx.into()).await?;
    let mut last_height = 0;
    for _ in 0..BLOCKS {
        let event = blocks.next().await.ok_or("no block")??;
        let EventData::NewBlock { block: Some(block), block_id, .. } = event.data else {
            return Err(format!("not a block: {:?}", event.data).into());
        };
        let height = block.header.height.value();
        checks.that("NewBlock: its own hash", block.header.hash() == block_id.hash)?;
        checks.that("NewBlock: in order", last_height == 0 || height == last_height + 1)?;
        last_height = height;
    }
    let mut last = None;
    for _ in 0..count {
        let event = txs.next().await.ok_or("no transaction")??;
        let EventData::Tx { tx_result } = event.data else {
            return Err(format!("not a transaction: {:?}", event.data).into());
        };
        let gas = tx_result.result.gas_used.as_deref().unwrap_or("0").parse::<u64>()?;
        checks.that("Tx: executed", gas >= 21_000)?;
        checks.that("Tx: with events", event.events.is_some_and(|events| events.contains_key("ethereum.recipient")))?;
        last = Some(tx_result);
    }
    live.unsubscribe(EventType::NewBlock.into()).await?;
    live.unsubscribe(EventType::Tx.into()).await?;
    last.ok_or_else(|| "no transaction wanted".into())
}

async fn methods<C: Client + Sync>(client: &C, event: &TxInfo, checks: &mut Checks) -> Outcome<()> {
    let height = u32::try_from(event.height)?;
    client.health().await?;
    let status = client.status().await?;
    checks.that("status: not behind", status.sync_info.latest_block_height.value() >= u64::from(height))?;
    let block = client.block(height).await?;
    checks.that("block: its own hash", block.block.header.hash() == block.block_id.hash)?;
    checks.that("block: has it", block.block.data.contains(&event.tx))?;
    let by_hash = client.block_by_hash(block.block_id.hash).await?;
    checks.that("block_by_hash: the same", by_hash.block.as_ref() == Some(&block.block))?;
    let header = client.header(height).await?.header;
    checks.that("header: the same", header == block.block.header)?;
    let header = client.header_by_hash(block.block_id.hash).await?.header;
    checks.that("header_by_hash: the same", header.as_ref() == Some(&block.block.header))?;
    let results = client.block_results(height).await?;
    let count = results.txs_results.map_or(0, |list| list.len());
    checks.that("block_results: of each", count == block.block.data.len())?;
    let commit = client.commit(height).await?;
    checks.that("commit: of the block", commit.signed_header.commit.block_id == block.block_id)?;
    let validators = client.validators(height, Paging::All).await?;
    checks.that("validators: some", validators.total > 0)?;
    client.consensus_params(height).await?;
    client.consensus_state().await?;
    client.net_info().await?;
    let chain = client.blockchain(height, height).await?;
    checks.that("blockchain: the one", chain.block_metas.len() == 1)?;
    let genesis = client.genesis::<serde_json::Value>().await?;
    checks.that("genesis: of the chain", genesis.chain_id == status.node_info.network)?;
    checks.that("genesis_chunked: one", client.genesis_chunked(0).await?.total == 1)?;
    checks.that("abci_info: not behind", client.abci_info().await?.last_block_height.value() >= u64::from(height))?;
    let answer = client
        .abci_query(Some("/cosmos.bank.v1beta1.Query/TotalSupply".into()), vec![], None, false)
        .await?;
    checks.that("abci_query: answers", answer.code.is_ok() && !answer.value.is_empty())?;
    let query = Query::eq("tx.height", u64::from(height));
    let found = client.tx_search(query, true, 1, 100, Order::Ascending).await?;
    checks.that("tx_search: all of the block", found.total_count as usize == count)?;
    let one = found.txs.iter().find(|one| one.tx == event.tx).ok_or("tx_search: has it not")?;
    let tx = client.tx(one.hash, true).await?;
    checks.that("tx: the same, proven", tx.tx == event.tx && tx.proof.is_some())?;
    let query = Query::eq("block.height", u64::from(height));
    let found = client.block_search(query, 1, 10, Order::Descending).await?;
    checks.that("block_search: the one", found.total_count == 1)?;
    let refused = client.broadcast_tx_sync(b"nonsense 1".to_vec()).await?;
    checks.that("broadcast_tx_sync: refused", refused.code.is_err())?;
    client.broadcast_tx_async(b"nonsense 2".to_vec()).await?;
    let refused = client.broadcast_tx_commit(b"nonsense 3".to_vec()).await?;
    checks.that("broadcast_tx_commit: refused", refused.check_tx.code.is_err())
}

async fn run(url: &str, count: usize) -> Outcome<usize> {
    let mut checks = Checks::default();
    let client = HttpClient::builder(url.parse()?).compat_mode(CompatMode::V0_38).build()?;
    let socket: WebSocketClientUrl = format!("{}/websocket", url.replacen("http", "ws", 1)).parse()?;
    let (live, driver) = WebSocketClient::builder(socket).compat_mode(CompatMode::V0_38).build().await?;
    let driving = tokio::spawn(driver.run());
    let last = subscriptions(&live, count, &mut checks).await?;
    methods(&client, &last, &mut checks).await?;
    checks.that("websocket: status", live.status().await?.node_info.network == client.status().await?.node_info.network)?;
    live.close()?;
    driving.await??;
    Ok(checks.0)
}

#[tokio::main]
async fn main() {
    let args: Vec<String> = std::env::args().collect();
    let [_, url, count] = args.as_slice() else {
        eprintln!("usage: orrery-rust-client <rpc url> <transactions>");
        std::process::exit(2);
    };
    let count = count.parse().unwrap_or(1);
    let outcome = match tokio::time::timeout(TIMEOUT, run(url, count)).await {
        Ok(outcome) => outcome,
        Err(_) => Err("too late".into()),
    };
    match outcome {
        Ok(checks) => println!("{checks}"),
        Err(error) => {
            eprintln!("{}", error.0);
            std::process::exit(1);
        }
    }
}
